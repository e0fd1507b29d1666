import { TRAFFIC_MUTATIONS } from './traffic/mutations.ts';

/** A bug that can be planted: `find` stands exactly once in `file`, or the planting fails. */
export interface Mutation {
  /** Seen from src/. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What would go wrong with it in the world. */
  readonly why: string;
  /** The first one that catches it, so that nobody searches for it again; `--seeds 400` does. */
  readonly seed: number;
}

/**
 * Bugs that the simulation must catch. They are planted into the source as it is loaded, so that
 * src/ knows nothing of them.
 */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'finalizer-off-too-early': {
    file: 'core/controller/lifecycle.ts',
    find: "if (outcome.kind === 'waiting') return outcome;",
    replace: '',
    why: 'the object goes although its balancer may still be there',
    seed: 38,
  },
  'token-in-every-pod': {
    file: 'pods/pod.ts',
    find: 'automountServiceAccountToken: false,',
    replace: '',
    why: 'an image that a tenant names gets the rights of the ServiceAccount of its namespace',
    seed: 8,
  },
  'ownership-check-skipped': {
    file: 'controllers/my-ingress/ownership.ts',
    find: "if (!isOurs) return { kind: 'foreign' };",
    replace: "if (!isOurs) return { kind: 'ours' };",
    why: 'the balancer of somebody else is changed and deleted',
    seed: 2,
  },
  'error-taken-for-absence': {
    file: 'aws/client/aws-errors.ts',
    find: 'return error instanceof OperatorError && reasons.includes(error.reason);',
    replace: 'return error instanceof OperatorError;',
    why: 'a throttle counts as proof that the balancer is gone',
    seed: 16,
  },
  'policy-too-narrow': {
    file: '../deploy/iam/policy.json',
    find: '        "ec2:DescribeSubnets",\n',
    replace: '',
    why: 'in a real account AWS denies every create, and says so of an action that nobody calls',
    seed: 1,
  },
  'status-before-create': {
    file: 'controllers/my-ingress/load-balancer/execute.ts',
    find: 'const created = await createOnce(scope, settings);',
    replace: `const arn = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/x/0123456789abcdef';
  scope.pass.report({ alb: { arn, name: scope.desired.name } });
  await scope.pass.recordNow();
  const created = await createOnce(scope, settings);`,
    why: 'the status names a balancer that was never made, and the real one is lost in a crash',
    seed: 10,
  },
  'create-without-tags': {
    file: 'aws/elbv2/load-balancers-client.ts',
    find: 'Tags: toPairs(tags),\n  };',
    replace: '};',
    why: 'a crash after the create leaves a balancer that nobody knows',
    seed: 1,
  },
  'retry-without-token': {
    file: 'aws/client/aws-call.ts',
    find: 'await budget.take(operation, requester, signal);',
    replace: `const paid = meter as { hasPaid?: boolean };
      if (!paid.hasPaid) await budget.take(operation, requester, signal);
      paid.hasPaid = true;`,
    why: 'retries eat the budget of everybody else in the account',
    seed: 9,
  },
  'stale-read-trusted': {
    file: 'controllers/my-ingress/memory.ts',
    find: 'return Math.max(0, (absentSinceMs ?? readMs) + STALENESS_BOUND_MS - readMs);',
    replace: 'return 0;',
    why: 'one old answer proves the absence of a balancer whose create was lost',
    seed: 1,
  },
  'doubt-outlives-create': {
    file: 'controllers/my-ingress/memory.ts',
    find: 'return { ...rememberPresence(facts), ...provisioning,',
    replace: 'return { ...facts, ...provisioning,',
    why: 'a read from before a create counts as the first of two that prove its absence',
    seed: 38,
  },
  'lost-at-first-not-found': {
    file: 'controllers/my-ingress/load-balancer/correction.ts',
    find: 'if (doubtMs === 0) return recordLoss(scope);',
    replace: 'if (doubtMs >= 0) return recordLoss(scope);',
    why: 'one wrong answer, and a balancer that serves traffic counts as deleted',
    seed: 5,
  },
  'found-tags-counted': {
    file: 'controllers/my-ingress/status.ts',
    find: 'return isKnown ? (object.status?.applied ?? {}) : {};',
    replace: `if (recorded !== undefined) return object.status?.applied ?? {};
  return { tags: Object.keys(tags).filter((key) => !key.startsWith('albridge.io/')) };`,
    why: 'tags of other people are taken off after a restore, or a create without an answer',
    seed: 14,
  },
  'record-trusted-in-deletion': {
    file: 'controllers/my-ingress/finalize.ts',
    find: 'return [...(arn === undefined ? [] : [{ arn }]), ...[...names].map((name) => ({ name }))];',
    replace: 'return arn === undefined ? [...names].map((name) => ({ name })) : [{ arn }];',
    why: 'who forges status.alb.arn has the operator leave the balancer behind',
    seed: 25,
  },
  'planted-taken-over': {
    file: 'controllers/my-ingress/ownership.ts',
    find: 'if (uid === undefined && !isOnRecord)',
    replace: 'if (uid === undefined && uid !== undefined && !isOnRecord)',
    why: 'a balancer that others made under our tags is taken without their consent',
    seed: 2,
  },
  'write-after-lost-lease': {
    file: 'kube/lease/election.ts',
    find: 'if (this.#options.clock.monotonicMs() < this.#validUntilMs) return true;',
    replace: "if (this.#phase === 'leader') return true;",
    why: 'a process that slept past its lease writes beside its successor',
    seed: 1,
  },
  'finalizer-after-create': {
    file: 'core/reconcile/external-resource.ts',
    find: '  await pass.ensureFinalizer();\n',
    replace: '',
    why: 'an object that is deleted at the wrong moment leaves its balancer',
    seed: 30,
  },
  'ready-while-provisioning': {
    file: 'controllers/my-ingress/status.ts',
    find: "case 'active':",
    replace: "case 'provisioning':\n    case 'active':",
    why: 'traffic is sent to a balancer that does not serve yet',
    seed: 5,
  },
  'refusal-does-not-slow': {
    file: 'aws/budget/budget.ts',
    find: 'bucket.tokens.drain(holdMs);',
    replace: '',
    why: 'the process goes on at full speed while AWS asks it to stop',
    seed: 9,
  },
  'drift-ignored': {
    file: 'controllers/my-ingress/load-balancer/diff.ts',
    find: 'return isSameSet(desired, observed) ? [] : [{ field, desired, observed }];',
    replace: 'return [];',
    why: 'subnets and security groups stay as somebody left them',
    seed: 16,
  },
  'retain-deletes': {
    file: 'controllers/my-ingress/finalize.ts',
    find: '(isRetained(scope) ? retain(scope, ours) : deleteOurs(scope, ours))',
    replace: 'deleteOurs(scope, ours)',
    why: 'a balancer that was to stay is deleted with its object',
    seed: 20,
  },
  'removed-tag-forgotten': {
    file: 'controllers/my-ingress/load-balancer/diff.ts',
    find: 'const remove = applied.filter((key) => !Object.hasOwn(desired, key) && !isOwnershipTag(key));',
    replace: 'const remove = applied.filter(() => false);',
    why: 'a tag that left the spec stays on the balancer',
    seed: 74,
  },
  'others-record-overwritten': {
    file: 'apis/my-ingress.ts',
    find: "managedBy: 'albridge.io/managed-by',",
    replace: "managedBy: 'ManagedBy',",
    why: 'what Terraform made no longer says so once it is adopted',
    seed: 12,
  },
  'empty-bucket-written-back': {
    file: 'controllers/my-ingress/load-balancer/desired.ts',
    find: "[`${log}.s3.enabled`]: 'false',",
    replace: "[`${log}.s3.enabled`]: 'false',\n  [`${log}.s3.bucket`]: '',",
    why: 'logs can never be switched off again',
    seed: 76,
  },
  'default-name-taken': {
    file: 'controllers/my-ingress/identity.ts',
    find: 'if (!DEFAULT_NAME.test(name) || name === deriveDefaultName(identity)) return;',
    replace: 'if (name.length > 0) return;',
    why: 'an object locks another one out of its default name',
    seed: 5,
  },
  'write-ahead-skipped': {
    file: 'controllers/my-ingress/load-balancer/execute.ts',
    find: 'await recordHeld(scope, observed);',
    replace: 'await Promise.resolve();',
    why: 'after a crash nobody knows which tags were ours',
    seed: 36,
  },
  'lost-position-kept': {
    file: 'kube/watch/recovery.ts',
    find: "if (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone') return true;",
    replace: '',
    why: 'after a compaction no change is seen any more',
    seed: 118,
  },
  'silent-watch-trusted': {
    file: 'kube/watch/watch.ts',
    find: 'if (silentMs >= GRACE_MS) this.#controller.abort(new WatchSilent(silentMs));\n      else this.#arm(GRACE_MS - silentMs);',
    replace: 'this.#arm(Math.max(1000, GRACE_MS - silentMs));',
    why: 'a half-open connection hides every change',
    seed: 74,
  },
  'stale-generation-observed': {
    file: 'core/controller/status.ts',
    find: '    observedGeneration: generation,\n',
    replace: '    observedGeneration: Math.min(generation, 1),\n',
    why: 'tools wait for an edit that was carried out long ago',
    seed: 1,
  },
  'foreign-child-taken': {
    file: 'core/children/owned-objects.ts',
    find: 'function refuseForeign(observed: KubeObject | undefined, owner: KubeObject): void {\n',
    replace:
      'function refuseForeign(observed: KubeObject | undefined, owner: KubeObject): void {\n  if (owner) return;\n',
    why: 'the Deployment of somebody else is taken over',
    seed: 4,
  },
  'autoscaler-fought': {
    file: 'controllers/web-app/controller.ts',
    find: 'context.autoscalers.isScaled(getKey(object)) ? [REPLICAS] : []',
    replace: 'context.autoscalers.isScaled(getKey(object)) ? [REPLICAS].slice(1) : []',
    why: 'the operator and an autoscaler set the number of pods against each other',
    seed: 1,
  },
  'starts-counted-twice': {
    file: 'controllers/immortal-container/status.ts',
    find: 'if (uid === undefined || uid === before.currentPodUID) return before;',
    replace: 'if (uid === undefined) return before;',
    why: 'status.startTimes grows although no pod was started',
    seed: 1,
  },
  'start-not-repaired': {
    file: 'controllers/immortal-container/running.ts',
    find: '  reportPod(pod, scope);\n',
    replace: '  if (pod !== observed) reportPod(pod, scope);\n',
    why: 'a pod whose creator died before the status write is never counted',
    seed: 249,
  },
  'others-fields-touched': {
    file: 'kube/write/object-writer.ts',
    find: 'body: JSON.stringify({ metadata: { uid, resourceVersion, finalizers } }),',
    replace:
      "body: JSON.stringify({ metadata: { uid, resourceVersion, finalizers, labels: { by: 'albridge' } } }),",
    why: 'the operator fights with whoever keeps the manifest',
    seed: 1,
  },
  'name-not-kept': {
    file: 'controllers/my-ingress/load-balancer/execute.ts',
    find: 'return await aws.create(settings);',
    replace: `const tries = memory as { tries?: number };
    tries.tries = (tries.tries ?? 0) + 1;
    return await aws.create({ ...settings, name: \`\${settings.name.slice(0, 28)}-\${tries.tries}\` });`,
    why: 'a create whose answer is lost is repeated under another name, and there are two',
    seed: 2,
  },
  'restart-not-persisted': {
    file: 'controllers/config-monitor/rollout.ts',
    find: '  await pass.recordNow();\n',
    replace: '',
    why: 'after a crash pods are restarted again, or never',
    seed: 1,
  },
  'restarted-by-each-monitor': {
    file: 'controllers/config-monitor/pending-change.ts',
    find: '.slice(0, MOST_VOUCHERS)',
    replace: '.slice(0, 0)',
    why: 'of two monitors the later one restarts what the first has restarted',
    seed: 1,
  },
  'batch-not-limited': {
    file: 'controllers/config-monitor/eviction.ts',
    find: '...ready.slice(0, room)]',
    replace: '...ready.slice(0, room + 2)]',
    why: 'more pods than maxUnavailable are restarted at a time',
    seed: 1,
  },
  'readiness-taken-for-availability': {
    file: 'controllers/config-monitor/workload-groups.ts',
    find: 'return Math.max(0, Math.ceil(neededMs - pods.readyForMs(pod)));',
    replace: 'return Math.max(0, Math.min(0, neededMs));',
    why: 'data with which pods end seconds after they got ready takes the whole service down',
    seed: 1,
  },
  'pods-of-status-trusted': {
    file: 'controllers/config-monitor/workload-groups.ts',
    find: '.filter((uid) => scope.selectedUids.has(uid))',
    replace: '.filter((uid) => uid.length > 0)',
    why: 'whoever may write /status has the operator remove any pod of the cluster',
    seed: 10,
  },
  'refused-pod-starves-others': {
    file: 'controllers/config-monitor/eviction.ts',
    find: "if (failure instanceof OperatorError) return { kind: 'failed', error: failure };",
    replace: '',
    why: 'one pod that a webhook refuses keeps all others from the newest data',
    seed: 126,
  },
  'own-restart-forgotten': {
    file: 'controllers/config-monitor/template-restart.ts',
    find: 'return pending.every((pod) => pod.restartedAt !== restartedAt);',
    replace: 'return pending.length === 0;',
    why: 'a Deployment is restarted again in each pass until its old pods are gone',
    seed: 7,
  },
  'stateful-order-reversed': {
    file: 'controllers/config-monitor/eviction.ts',
    find: 'return parseOrdinal(other) - parseOrdinal(one);',
    replace: 'return parseOrdinal(one) - parseOrdinal(other);',
    why: 'a database loses its primary first',
    seed: 5,
  },
  'budgets-passed-over': {
    file: 'controllers/config-monitor/eviction.ts',
    find: "spec.strategy === 'Delete' ? evictor.delete(pod) : evictor.evict(pod)",
    replace: 'spec.strategy.length > 0 ? evictor.delete(pod) : evictor.evict(pod)',
    why: 'PodDisruptionBudgets do not hold',
    seed: 1,
  },
  'job-pods-restarted': {
    file: 'controllers/config-monitor/pod-index.ts',
    find: "return !isOfJob && controller?.kind !== 'Node';",
    replace: "return !isOfJob || controller?.kind !== 'Node';",
    why: 'a Job counts its pod as failed and starts its work again',
    seed: 1,
  },
  'suspension-ignored': {
    file: 'controllers/config-monitor/debounce.ts',
    find: '  if (spec.suspend) {',
    replace: '  if (spec.suspend && pods < 0) {',
    why: 'pods are restarted although somebody asked to leave them alone',
    seed: 10,
  },
  'status-trusted': {
    file: 'controllers/my-ingress/load-balancer/observe.ts',
    find: 'const judgement = judgeClaim(scope, loadBalancer, tags);',
    replace: `const isRecorded = readRecordedArn(object) === loadBalancer.arn;
  const judgement = isRecorded ? ({ kind: 'adoptable' } as const) : judgeClaim(scope, loadBalancer, tags);`,
    why: 'whoever writes a status has the balancer of somebody else changed',
    seed: 2,
  },
  'fifo-instead-of-rounds': {
    file: 'aws/budget/token-bucket.ts',
    find: 'if (a.round !== b.round) return a.round < b.round;',
    replace: 'if (a.order !== b.order) return a.order < b.order;',
    why: 'a namespace with many objects keeps the balancer of another from being created',
    seed: 4,
  },
  'late-finalizer-forgotten': {
    file: 'core/controller/late-finalizers.ts',
    find: "else if (kind === 'deleted') entry.isGone = true;",
    replace: '',
    why: 'an object that was removed in spite of its finalizer leaves its balancer',
    seed: 12,
  },
  'data-that-came-back': {
    file: 'controllers/config-monitor/controller.ts',
    find: 'return isOther || wasOther;',
    replace: 'return isOther || (isOther && wasOther);',
    why: 'a pod that was started in between keeps data that was taken back',
    seed: 99,
  },
  'start-taken-for-birth': {
    file: 'controllers/config-monitor/memory.ts',
    find: 'return without(without(live, vouchedFor), starting);',
    replace: 'return without(live, vouchedFor);',
    why: 'a pod that waited for its ConfigMap keeps data that was taken back',
    seed: 99,
  },
  ...TRAFFIC_MUTATIONS,
};
