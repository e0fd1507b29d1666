import { myAppKind } from '../../../src/apis/my-app.ts';
import { readDefinition } from './custom-resource-definition.ts';
import { describeDefinition } from './describe-definition.ts';
import { describeRules } from './describe-rules.ts';
import { myAppCases } from './my-app-cases.ts';

const definition = readDefinition('myapps.demo.rtfm.co.ua');

describeDefinition(definition, {
  kind: myAppKind,
  shortName: 'ma',
  columns: [
    'Image',
    'Pod',
    'Phase',
    'Ready',
    'Age',
    'Banner (wide)',
    'Replicas (wide)',
    'Reason (wide)',
    'Message (wide)',
  ],
});

describeRules(definition, myAppCases);
