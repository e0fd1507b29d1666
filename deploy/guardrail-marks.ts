import { IS_NEW, mayUseEverywhere, needsRight, type Policy } from './guardrail-rules.ts';

/** Of deploy/guardrails.ts: annotations and labels of other kinds that albridge goes by; no list is about them. */

const ANNOTATION = "metadata.?annotations[?'magalix.com/podDeleteMatch']";

/**
 * Without parameters: missing ones would refuse every ConfigMap of the cluster, that of the parameters
 * included, because a policy looks for them before its conditions.
 */
export const ANNOTATED: Policy = {
  name: 'annotation',
  group: '',
  resources: ['configmaps'],
  when: `object.${ANNOTATION}.hasValue() && (${IS_NEW} || object.${ANNOTATION} != oldObject.${ANNOTATION})`,
  rules: [needsRight('the annotation magalix.com/podDeleteMatch', 'annotations', 'false')],
};

/** CEL: of a map of metadata, the keys of albridge that a write adds or changes. */
function marksIn(map: string): string {
  const [now, before] = [`object.metadata.?${map}.orValue({})`, `oldObject.metadata.?${map}`];
  return `${now}.filter(k, k.startsWith('albridge.io/') && (${IS_NEW} || ${now}[k] != ${before}[?k].orValue('')))`;
}

/**
 * Labels and annotations of a namespace decide which pods albridge makes there, and may decide what attaches to a
 * balancer. Who may edit its own Namespace must not decide that, so the right counts for the whole cluster alone:
 * every right in one namespace includes the edit of its Namespace. Status and finalize take metadata too:
 * https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/registry/core/namespace/strategy.go
 */
export const NAMESPACES: Policy = {
  name: 'namespaces',
  group: '',
  resources: ['namespaces', 'namespaces/status', 'namespaces/finalize'],
  when: `(${marksIn('labels')} + ${marksIn('annotations')}).size() > 0`,
  rules: [
    {
      holds: mayUseEverywhere('namespaces'),
      says: `(${marksIn('labels')} + ${marksIn('annotations')})[0] + ' on a Namespace is not allowed to you: it needs the right to use namespaces.guardrails.albridge.io in the whole cluster, by a ClusterRoleBinding; ask who grants roles there'`,
      otherwise:
        'a label or an annotation of albridge on a Namespace is not allowed to you: it needs the right to use namespaces.guardrails.albridge.io in the whole cluster',
    },
  ],
};
