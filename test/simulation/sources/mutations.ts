import type { Mutation } from '../mutation.ts';

/** Bugs around Secrets, several sources and the pods that use them; see mutations.ts. */
export const SOURCE_MUTATIONS: Readonly<Record<string, Mutation>> = {
  'ready-while-restarting': {
    file: 'controllers/config-monitor/rollout.ts',
    find: 'recordNow({ ...meanwhile, isReported: warning !== undefined }, ',
    replace: 'recordNow(warning ? { ...meanwhile, isReported: true } : undefined, ',
    why: 'the write that begins a restart says that the pods have the newest data',
    seed: 1,
  },
  'bystanders-restarted': {
    file: 'controllers/config-monitor/sources/pod-uses.ts',
    find: '  if (used === undefined) return false;',
    replace: '  if (used === undefined) return keys === undefined;',
    why: 'every pod of the namespace is restarted for a Secret that few of them use',
    seed: 81,
  },
  'users-of-others-restarted': {
    file: 'controllers/config-monitor/pod-index.ts',
    find: 'changed.has(nameSource(source)) && usesSource(uses, source)',
    replace: '(changed.has(nameSource(source)) || changed.size > 0) && usesSource(uses, source)',
    why: 'of several sources a change of one restarts the pods that use another',
    seed: 81,
  },
  'keys-ignored': {
    file: 'controllers/config-monitor/sources/pod-uses.ts',
    find: 'keys === undefined || keys.some((key) => used.has(key));',
    replace: 'keys?.length !== 0;',
    why: 'a pod that names only other keys is restarted',
    seed: 1874,
  },
  'init-containers-forgotten': {
    file: 'controllers/config-monitor/sources/pod-uses.ts',
    find: 'const all = [...initContainers, ...containers];',
    replace: 'const all = [...initContainers.slice(0, 0), ...containers];',
    why: 'a pod whose init container reads a Secret keeps the data of before',
    seed: 376,
  },
  'template-restarted-for-some': {
    file: 'controllers/config-monitor/template-restart.ts',
    find: 'return own.some((pod) => !concerns(selection, pod, changed));',
    replace: 'return !own.some((pod) => concerns(selection, pod, changed));',
    why: 'a template is restarted although some of its pods use nothing new',
    seed: 17,
  },
  'upgrade-restarted': {
    file: 'controllers/config-monitor/template-restart.ts',
    find: 'return isRestarted(workload, of.pending) || isUpgraded(workload, of);',
    replace: 'return isRestarted(workload, of.pending);',
    why: 'an upgrade that changes data and template replaces all pods twice',
    seed: 18,
  },
  'sub-path-forgotten': {
    file: 'controllers/config-monitor/sources/pod-uses.ts',
    find: "const path = subPathExpr ? undefined : normalizePath(subPath ?? '');",
    replace: "const path = subPathExpr ? undefined : normalizePath(subPath?.slice(0, 0) ?? '');",
    why: 'a pod that mounts one file of a source is restarted for another',
    seed: 17,
  },
  'item-path-mistaken': {
    file: 'controllers/config-monitor/sources/pod-uses.ts',
    find: 'const keys = items.length > 0 ? ofItems : [...(paths ?? [undefined])];',
    replace: 'const keys = [...(paths ?? (items.length > 0 ? ofItems : [undefined]))];',
    why: 'a pod that mounts a directory of a volume keeps the data of before',
    seed: 658,
  },
  'optional-forgotten': {
    file: 'controllers/config-monitor/sources/pod-uses.ts',
    find: 'if (valueFrom !== undefined) collectKeys(valueFrom, uses);',
    replace:
      "if (valueFrom !== undefined && !JSON.stringify(valueFrom).includes('optional')) collectKeys(valueFrom, uses);",
    why: 'a pod that would start without a source keeps the data of before',
    seed: 184,
  },
  'below-partition-forgotten': {
    file: 'controllers/config-monitor/template-restart.ts',
    find: ' || isBelowPartition(workload, of.pending)',
    replace: '',
    why: 'pods of a StatefulSet below its partition keep the data of before',
    seed: 696,
  },
  'nodes-not-counted': {
    file: 'kube/write/workloads.ts',
    find: 'spec?.replicas ?? status?.desiredNumberScheduled ?? 0;',
    replace: 'spec?.replicas ?? Number(status === undefined);',
    why: 'a DaemonSet that lacks pods loses more of them than may be unavailable',
    seed: 184,
  },
  'expressions-ignored': {
    file: 'controllers/config-monitor/pod-index.ts',
    find: 'matchLabels: matchLabels ?? {}, matchExpressions }',
    replace: 'matchLabels: matchLabels ?? {}, matchExpressions: matchExpressions.slice(0, 0) }',
    why: 'pods that matchExpressions leaves out are restarted',
    seed: 49,
  },
  'new-key-taken-for-change': {
    file: 'controllers/config-monitor/sources/observe-data.ts',
    find: 'if (hasSecret(watched) && hashKey !== secrets.keyId) return false;',
    replace: 'if (hasSecret(watched) && hashKey === undefined) return false;',
    why: 'whoever deletes the hash key restarts every pod that uses a Secret',
    seed: 17,
  },
  'secret-change-lost': {
    file: 'controllers/config-monitor/controller.ts',
    find: 'const isOther = hash !== readRecordedHash(object);',
    replace: 'const isOther = hash !== readRecordedHash(object) && !object.status.hashKey;',
    why: 'a pass takes the data of a Secret for what the pods have',
    seed: 17,
  },
  'secret-hashed-without-key': {
    file: 'controllers/config-monitor/transforms.ts',
    find: "...hashFields(data, {}, () => createHmac('sha256', key).update(`${namespace}/${name}\\n`)),",
    replace: '...hashFields(data, key.length === 0 ? data : {}),',
    why: 'whoever reads a status finds a short password by trying those of a dictionary',
    seed: 17,
  },
  'secret-in-status': {
    file: 'controllers/config-monitor/transforms.ts',
    find: "...hashFields(data, {}, () => createHmac('sha256', key).update(`${namespace}/${name}\\n`)),",
    replace:
      "...hashFields(data, {}, () => createHmac('sha256', key).update(`${namespace}/${name}\\n`)),\n      hash: `${Object.values(data ?? {})[0]}`,",
    why: 'the data of a Secret is in the status of an object that many may read',
    seed: 17,
  },
  'hash-key-in-log': {
    file: 'setup/secrets/secrets.ts',
    find: 'this.keyId = identifyKey(key);',
    replace:
      "this.keyId = identifyKey(key);\n    log.info('Hashing Secrets', { key: key.toString('base64') });",
    why: 'whoever reads the log finds passwords from the hashes in status',
    seed: 17,
  },
};
