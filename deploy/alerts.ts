import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** `npm run gen`: deploy/components/alerts/rule.yaml, the rules of deploy/alerts/rules.yaml as a PrometheusRule. */

export const RULES = resolve(import.meta.dirname, 'alerts/rules.yaml');
export const RULE_OBJECT = resolve(import.meta.dirname, 'components/alerts/rule.yaml');

/** https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PrometheusRule */
export function renderRuleObject(rules: string): string {
  const groups = rules.slice(rules.indexOf('groups:'));
  return `# Written by deploy/alerts.ts; run \`npm run gen\` after a change of deploy/alerts/rules.yaml.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: albridge
  namespace: albridge-system
  labels:
    app.kubernetes.io/name: albridge
spec:
${groups.replaceAll(/^(?=.)/gm, '  ')}`;
}

if (import.meta.main) writeFileSync(RULE_OBJECT, renderRuleObject(readFileSync(RULES, 'utf8')));
