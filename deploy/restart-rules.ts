/** The policy for the right to create Secrets: RBAC cannot limit a create to a name. */
export const HASH_KEY = {
  ...{ name: 'key', group: '', resources: ['secrets'], operations: ['CREATE'] },
  validations: {
    'albridge creates no Secret but its key albridge-hash-key':
      "object.metadata.name == 'albridge-hash-key' && object.type == 'albridge.io/hash-key'",
  },
};

/** CEL, of a ConfigMonitor: what else is in it has a user written. */
export const IS_AS_ANNOTATED = `object.spec.?unmanagedPods.orValue('Skip') == 'Skip' &&
        object.spec.?strategy.orValue('Auto') == 'Evict' &&
        ['secret', 'sources'].all(f, !(f in dyn(object.spec)) ||
          (oldObject != null && dyn(object.spec)[?f] == dyn(oldObject.spec)[?f]))`;
