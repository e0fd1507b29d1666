/** A bug that can be planted: `find` stands exactly once in `file`, or the planting fails. */
export interface Mutation {
  /** Seen from src/. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What would go wrong with it in the world. */
  readonly why: string;
}

/**
 * Bugs that the simulation must catch. They are planted into the source as it is loaded, so that
 * src/ knows nothing of them.
 */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'finalizer-off-too-early': {
    file: 'core/lifecycle.ts',
    find: "if (outcome.kind === 'waiting') return outcome;",
    replace: '',
    why: 'the object goes although its balancer may still be there',
  },
  'token-in-every-pod': {
    file: 'apis/pod.ts',
    find: 'automountServiceAccountToken: false,',
    replace: '',
    why: 'an image that a tenant names gets the rights of the ServiceAccount of its namespace',
  },
  'ownership-check-skipped': {
    file: 'controllers/my-ingress/ownership.ts',
    find: "if (!isOurs) return { kind: 'foreign' };",
    replace: "if (!isOurs) return { kind: 'ours' };",
    why: 'the balancer of somebody else is changed and deleted',
  },
  'error-taken-for-absence': {
    file: 'aws/balancer-reader.ts',
    find: "return error instanceof OperatorError && error.reason === 'LoadBalancerNotFound';",
    replace: 'return error instanceof OperatorError;',
    why: 'a throttle counts as proof that the balancer is gone',
  },
  'policy-too-narrow': {
    file: '../deploy/iam/policy.json',
    find: '        "ec2:DescribeSubnets",\n',
    replace: '',
    why: 'in a real account AWS denies every create, and says so of an action that nobody calls',
  },
  'status-before-create': {
    file: 'controllers/my-ingress/load-balancer-resource.ts',
    find: 'const created = await createOnce(scope);',
    replace: `const arn = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/x/0123456789abcdef';
  scope.pass.report({ alb: { arn, name: scope.desired.name } });
  await scope.pass.recordNow();
  const created = await createOnce(scope);`,
    why: 'the status names a balancer that was never made, and the real one is lost in a crash',
  },
  'create-without-tags': {
    file: 'aws/load-balancers-client.ts',
    find: 'Tags: toPairs(tags),\n  };',
    replace: '};',
    why: 'a crash after the create leaves a balancer that nobody knows',
  },
  'retry-without-token': {
    file: 'aws/aws-call.ts',
    find: 'await budget.take({ operation, ...claim }, signal);',
    replace: `const paid = meter as { hasPaid?: boolean };
      if (!paid.hasPaid) await budget.take({ operation, ...claim }, signal);
      paid.hasPaid = true;`,
    why: 'retries eat the budget of everybody else in the account',
  },
  'stale-read-trusted': {
    file: 'controllers/my-ingress/facts.ts',
    find: 'return Math.max(0, (absentSinceMs ?? readMs) + STALENESS_BOUND_MS - readMs);',
    replace: 'return 0;',
    why: 'one old answer proves the absence of a balancer whose create was lost',
  },
  'doubt-outlives-create': {
    file: 'controllers/my-ingress/facts.ts',
    find: 'return { ...recordPresence(facts), ...provisioning,',
    replace: 'return { ...facts, ...provisioning,',
    why: 'a read from before a create counts as the first of two that prove its absence',
  },
  'lost-at-first-not-found': {
    file: 'controllers/my-ingress/observe.ts',
    find: 'if (doubtMs === 0) return lose(scope);',
    replace: 'if (doubtMs >= 0) return lose(scope);',
    why: 'one wrong answer, and a balancer that serves traffic counts as deleted',
  },
  'found-tags-counted': {
    file: 'controllers/my-ingress/record.ts',
    find: 'return isKnown ? (object.status?.applied ?? {}) : {};',
    replace: `if (recorded !== undefined) return object.status?.applied ?? {};
  return { tags: Object.keys(tags).filter((key) => !key.startsWith('albridge.io/')) };`,
    why: 'tags of other people are taken off after a restore, or a create without an answer',
  },
  'record-trusted-in-deletion': {
    file: 'controllers/my-ingress/places.ts',
    find: 'return [...(arn === undefined ? [] : [{ arn }]), ...[...names].map((name) => ({ name }))];',
    replace: 'return arn === undefined ? [...names].map((name) => ({ name })) : [{ arn }];',
    why: 'who forges status.alb.arn has the operator leave the balancer behind',
  },
  'planted-taken-over': {
    file: 'controllers/my-ingress/ownership.ts',
    find: 'if (uid === undefined && !isOnRecord)',
    replace: 'if (uid === undefined && uid !== undefined && !isOnRecord)',
    why: 'a balancer that others made under our tags is taken without their consent',
  },
  'write-after-lost-lease': {
    file: 'kube/lease.ts',
    find: 'if (this.#options.clock.monotonicMs() < this.#validUntilMs) return true;',
    replace: "if (this.#phase === 'leader') return true;",
    why: 'a process that slept past its lease writes beside its successor',
  },
  'finalizer-after-create': {
    file: 'core/external-resource.ts',
    find: '  await pass.finalizerStored();\n',
    replace: '',
    why: 'an object that is deleted at the wrong moment leaves its balancer',
  },
  'ready-while-provisioning': {
    file: 'controllers/my-ingress/provisioning.ts',
    find: "case 'active':",
    replace: "case 'provisioning':\n    case 'active':",
    why: 'traffic is sent to a balancer that does not serve yet',
  },
  'refusal-does-not-slow': {
    file: 'aws/budget.ts',
    find: 'lane.bucket.drain(holdMs);',
    replace: '',
    why: 'the process goes on at full speed while AWS asks it to stop',
  },
  'drift-ignored': {
    file: 'controllers/my-ingress/drift.ts',
    find: 'return isSameSet(wanted, found) ? [] : [{ field, wanted, found }];',
    replace: 'return [];',
    why: 'subnets and security groups stay as somebody left them',
  },
  'retain-deletes': {
    file: 'controllers/my-ingress/finalize.ts',
    find: '(isRetained(scope) ? retain(scope, seen) : deleteOurs(scope, seen))',
    replace: 'deleteOurs(scope, seen)',
    why: 'a balancer that was to stay is deleted with its object',
  },
  'removed-tag-forgotten': {
    file: 'controllers/my-ingress/drift.ts',
    find: 'const remove = applied.filter((key) => !Object.hasOwn(wanted, key) && !isOwnershipTag(key));',
    replace: 'const remove = applied.filter(() => false);',
    why: 'a tag that left the spec stays on the balancer',
  },
  'others-record-overwritten': {
    file: 'apis/my-ingress.ts',
    find: "managedBy: 'albridge.io/managed-by',",
    replace: "managedBy: 'ManagedBy',",
    why: 'what Terraform made no longer says so once it is adopted',
  },
  'empty-bucket-written-back': {
    file: 'controllers/my-ingress/attribute-defaults.ts',
    find: "[`${log}.s3.enabled`]: 'false',",
    replace: "[`${log}.s3.enabled`]: 'false',\n  [`${log}.s3.bucket`]: '',",
    why: 'logs can never be switched off again',
  },
  'default-name-taken': {
    file: 'controllers/my-ingress/identity.ts',
    find: 'if (!DEFAULT_NAME.test(name) || name === defaultName(identity)) return;',
    replace: 'if (name.length > 0) return;',
    why: 'an object locks another one out of its default name',
  },
  'write-ahead-skipped': {
    file: 'controllers/my-ingress/load-balancer-resource.ts',
    find: 'await recordHeld(scope, observed);',
    replace: 'await Promise.resolve();',
    why: 'after a crash nobody knows which tags were ours',
  },
  'lost-position-kept': {
    file: 'kube/reflector-recovery.ts',
    find: "if (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone') return true;",
    replace: '',
    why: 'after a compaction no change is seen any more',
  },
  'silent-watch-trusted': {
    file: 'kube/reflector-watchdog.ts',
    find: 'if (silentMs >= GRACE_MS) controller.abort(new WatchSilent(silentMs));\n      else arm(GRACE_MS - silentMs);',
    replace: 'arm(Math.max(1000, GRACE_MS - silentMs));',
    why: 'a half-open connection hides every change',
  },
  'stale-generation-observed': {
    file: 'core/status.ts',
    find: '    observedGeneration: generation,\n',
    replace: '    observedGeneration: Math.min(generation, 1),\n',
    why: 'tools wait for an edit that was carried out long ago',
  },
  'foreign-child-taken': {
    file: 'core/owned-objects.ts',
    find: 'function refuseForeign(seen: KubeObject | undefined, owner: KubeObject): void {\n',
    replace:
      'function refuseForeign(seen: KubeObject | undefined, owner: KubeObject): void {\n  if (owner) return;\n',
    why: 'the Deployment of somebody else is taken over',
  },
  'autoscaler-fought': {
    file: 'controllers/web-app/controller.ts',
    find: 'context.autoscalers.isScaled(keyOf(object)) ? [REPLICAS] : []',
    replace: 'context.autoscalers.isScaled(keyOf(object)) ? [REPLICAS].slice(1) : []',
    why: 'the operator and an autoscaler set the number of pods against each other',
  },
  'starts-counted-twice': {
    file: 'controllers/immortal-container/starts.ts',
    find: 'if (uid === undefined || uid === before.currentPodUID) return before;',
    replace: 'if (uid === undefined) return before;',
    why: 'status.startTimes grows although no pod was started',
  },
  'start-not-repaired': {
    file: 'controllers/immortal-container/running.ts',
    find: '  reportPod(pod, scope);\n',
    replace: '  if (pod !== seen) reportPod(pod, scope);\n',
    why: 'a pod whose creator died before the status write is never counted',
  },
  'others-fields-touched': {
    file: 'kube/object-writer.ts',
    find: 'body: JSON.stringify({ metadata: { uid, resourceVersion, finalizers } }),',
    replace:
      "body: JSON.stringify({ metadata: { uid, resourceVersion, finalizers, labels: { by: 'albridge' } } }),",
    why: 'the operator fights with whoever keeps the manifest',
  },
  'name-not-kept': {
    file: 'controllers/my-ingress/load-balancer-resource.ts',
    find: 'return await aws.create({\n      name,',
    replace: `const tries = memory as { tries?: number };
    tries.tries = (tries.tries ?? 0) + 1;
    return await aws.create({
      name: \`\${name.slice(0, 28)}-\${tries.tries}\`,`,
    why: 'a create whose answer is lost is repeated under another name, and there are two',
  },
  'restart-not-persisted': {
    file: 'controllers/config-monitor/rollout-start.ts',
    find: '  await pass.recordNow();\n',
    replace: '',
    why: 'after a crash pods are restarted again, or never',
  },
  'restarted-by-each-monitor': {
    file: 'controllers/config-monitor/vouching.ts',
    find: '.slice(0, MOST_VOUCHERS)',
    replace: '.slice(0, 0)',
    why: 'of two monitors the later one restarts what the first has restarted',
  },
  'batch-not-limited': {
    file: 'controllers/config-monitor/batch.ts',
    find: '...ready.slice(0, room)]',
    replace: '...ready.slice(0, room + 2)]',
    why: 'more pods than maxUnavailable are restarted at a time',
  },
  'readiness-taken-for-availability': {
    file: 'controllers/config-monitor/availability.ts',
    find: 'return Math.max(0, Math.ceil(neededMs - pods.readyForMs(pod)));',
    replace: 'return Math.max(0, Math.min(0, neededMs));',
    why: 'data with which pods end seconds after they got ready takes the whole service down',
  },
  'pods-of-status-trusted': {
    file: 'controllers/config-monitor/owners.ts',
    find: '.filter((uid) => scope.selectedUids.has(uid))',
    replace: '.filter((uid) => uid.length > 0)',
    why: 'whoever may write /status has the operator remove any pod of the cluster',
  },
  'refused-pod-starves-others': {
    file: 'controllers/config-monitor/restart.ts',
    find: "if (failure instanceof OperatorError) return { kind: 'failed', error: failure };",
    replace: '',
    why: 'one pod that a webhook refuses keeps all others from the newest data',
  },
  'own-restart-forgotten': {
    file: 'controllers/config-monitor/restart.ts',
    find: 'return pending.every((pod) => pod.restartedAt !== restartedAt);',
    replace: 'return pending.length === 0;',
    why: 'a Deployment is restarted again in each pass until its old pods are gone',
  },
  'stateful-order-reversed': {
    file: 'controllers/config-monitor/batch.ts',
    find: 'return ordinalOf(other) - ordinalOf(one);',
    replace: 'return ordinalOf(one) - ordinalOf(other);',
    why: 'a database loses its primary first',
  },
  'budgets-passed-over': {
    file: 'controllers/config-monitor/restart.ts',
    find: "spec.strategy === 'Delete' ? evictor.delete(pod) : evictor.evict(pod)",
    replace: 'spec.strategy.length > 0 ? evictor.delete(pod) : evictor.evict(pod)',
    why: 'PodDisruptionBudgets do not hold',
  },
  'job-pods-restarted': {
    file: 'controllers/config-monitor/pods.ts',
    find: "return !isOfJob && controller?.kind !== 'Node';",
    replace: "return !isOfJob || controller?.kind !== 'Node';",
    why: 'a Job counts its pod as failed and starts its work again',
  },
  'suspension-ignored': {
    file: 'controllers/config-monitor/rollout-start.ts',
    find: '  if (spec.suspend) {',
    replace: '  if (spec.suspend && pods < 0) {',
    why: 'pods are restarted although somebody asked to leave them alone',
  },
  'status-trusted': {
    file: 'controllers/my-ingress/observe.ts',
    find: 'const judgement = judge(scope, loadBalancer, tags);',
    replace: `const isRecorded = recordedArn(object) === loadBalancer.arn;
  const judgement = isRecorded ? ({ kind: 'adoptable' } as const) : judge(scope, loadBalancer, tags);`,
    why: 'whoever writes a status has the balancer of somebody else changed',
  },
  'fifo-instead-of-rounds': {
    file: 'aws/token-bucket.ts',
    find: 'if (a.round !== b.round) return a.round < b.round;',
    replace: 'if (a.order !== b.order) return a.order < b.order;',
    why: 'a namespace with many objects keeps the balancer of another from being created',
  },
  'late-finalizer-forgotten': {
    file: 'core/late-finalizers.ts',
    find: "else if (kind === 'deleted') entry.isGone = true;",
    replace: '',
    why: 'an object that was removed in spite of its finalizer leaves its balancer',
  },
  'data-that-came-back': {
    file: 'controllers/config-monitor/controller.ts',
    find: 'return isOther || wasOther;',
    replace: 'return isOther || (isOther && wasOther);',
    why: 'a pod that was started in between keeps data that was taken back',
  },
};
