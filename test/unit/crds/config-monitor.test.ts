import { configMonitorKind } from '../../../src/apis/config-monitor.ts';
import { configMonitorCases } from './config-monitor-cases.ts';
import { readDefinition } from './custom-resource-definition.ts';
import { describeDefinition } from './describe-definition.ts';
import { describeRules } from './describe-rules.ts';

const definition = readDefinition('configmonitors.magalix.com');

describeDefinition(definition, {
  kind: configMonitorKind,
  shortName: 'cmon',
  columns: [
    'Source',
    'Pods',
    'Progress',
    'Restarts',
    'Last-Restart',
    'Ready',
    'Age',
    'Pending (wide)',
    'Selector (wide)',
    'Strategy (wide)',
    'Hash (wide)',
    'Reason (wide)',
    'Message (wide)',
  ],
});

describeRules(definition, configMonitorCases);
