import { immortalContainerKind } from '../../../src/apis/immortal-container.ts';
import { readDefinition } from './custom-resource-definition.ts';
import { describeDefinition } from './describe-definition.ts';
import { describeRules } from './describe-rules.ts';
import { immortalContainerCases } from './immortal-container-cases.ts';

const definition = readDefinition('immortalcontainers.immortalcontainer.flugel.it');

describeDefinition(definition, {
  kind: immortalContainerKind,
  shortName: 'ic',
  columns: [
    'Image',
    'Pod',
    'Starts',
    'Phase',
    'Ready',
    'Age',
    'Restarts (wide)',
    'Last-Exit (wide)',
    'Next-Start (wide)',
    'Reason (wide)',
    'Message (wide)',
  ],
});

describeRules(definition, immortalContainerCases);
