import type { Fault, Step } from './scenario.ts';

/** Keys of each member of a union. */
type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type StepKind = Exclude<KeyOf<Step>, 'atMs'>;
type ActionOf<Kind extends StepKind> =
  Extract<Step, Record<Kind, unknown>> extends Record<Kind, infer Action> ? Action : never;
/** The fields of the action that does this. */
type FieldsOf<Action, Do> = Action extends { readonly do: infer Own }
  ? Do extends Own
    ? Omit<Action, 'do'>
    : never
  : never;

type StepTable = {
  readonly [Kind in StepKind]: {
    readonly [Do in (ActionOf<Kind> & { readonly do: string })['do']]: FieldsOf<ActionOf<Kind>, Do>;
  };
};
type FaultTable = {
  readonly [Kind in Fault['kind']]: Omit<Extract<Fault, { readonly kind: Kind }>, 'kind'>;
};

const at = 'web/shop';
const span = { fromMs: 0, forMs: 0 };

/** Each action by kind and `do`, with the fields that it must have; null is one of any type. */
export const ACTIONS: StepTable = {
  myIngress: {
    create: { at, spec: {} },
    edit: { at, change: {} },
    unset: { at, field: 'name' },
    delete: { at },
    deleteInSpite: { at },
    forgeArn: { at, arnOf: '' },
    pause: { at },
    goOn: { at },
    request: { at, token: '' },
    restore: { at },
    forget: { at },
    forge: { at },
    meddle: { at, meddling: { what: 'delete' } },
    squat: { at, spec: {}, tags: {} },
    plant: { at, spec: {}, tags: {} },
    leave: { at },
    legacy: { name: '', spec: {}, tags: {} },
    quota: { quota: 0 },
  },
  traffic: {
    meddle: { at, meddling: { what: 'allowIngress' } },
    squat: { at, what: 'targetGroup' },
    leave: { at },
    limit: { name: 'rules', most: 0 },
  },
  discovery: {
    tag: { subnet: '', tag: 'own' },
    untag: { subnet: '', tag: 'own' },
    issue: { nth: 0, names: [], forMs: 0 },
    withdraw: { nth: 0 },
  },
  service: {
    apply: { at, pods: 0, port: { name: '', port: 0 } },
    remove: { at },
    scale: { at, pods: 0 },
    roll: { at },
    recreate: { at },
    exchange: { at, staysMs: 0 },
    fail: { at },
    recover: { at },
  },
  node: {
    launch: { node: 0 },
    terminate: { node: 0 },
    drain: { node: 0 },
    fail: { node: 0 },
    silence: { node: 0 },
    recover: { node: 0 },
  },
  webApp: {
    create: { at, spec: { image: '' } },
    edit: { at, change: {} },
    delete: { at },
    pause: { at },
    goOn: { at },
    meddle: { at, meddling: { what: 'unlabel' } },
    squat: { at, kind: 'Service' },
    leave: { at, kind: 'Service' },
    autoscale: { at, replicas: 0 },
  },
  attach: {
    label: { namespace: '', team: null },
    pods: { at, pods: 0 },
  },
  immortal: {
    create: { at, image: '' },
    edit: { at, image: '' },
    delete: { at },
    pause: { at },
    goOn: { at },
    pod: { at, what: 'deleted' },
    squat: { at },
    leave: { at },
  },
  myApp: {
    create: { at, spec: { image: '' } },
    edit: { at, change: {} },
    delete: { at },
    pause: { at },
    goOn: { at },
    pod: { at, index: 0, what: 'deleted' },
    squat: { at },
    leave: { at },
  },
  config: {
    fill: { at, content: { text: '' } },
    label: { at, value: '' },
    remove: { at },
    annotate: { at, selector: null },
    deploySet: { at, replicas: 0 },
    deploy: { at, replicas: 0 },
    scale: { at, replicas: 0 },
    addPod: { at, of: 'Job' },
    monitor: { at, index: 0, plan: {} },
    editMonitor: { at, index: 0, plan: {} },
    forge: { at, index: 0 },
    guard: { at, nth: 0 },
    squat: { at },
    leave: { at },
    unmonitor: { at, index: 0 },
    pause: { at, index: 0 },
    goOn: { at, index: 0 },
    pod: { at, nth: 0, what: 'deleted' },
    budget: { at, index: 0, minAvailable: null },
  },
  source: {
    put: { at, kind: 'Secret', data: {} },
    touch: { at, kind: 'Secret' },
    drop: { at, kind: 'Secret' },
    run: { at, as: 'Deployment', replicas: 0, tier: '', uses: [] },
    useOthers: { at, tier: '', uses: [] },
    watch: { at, spec: {} },
    rewatch: { at, spec: {} },
    loseKey: { at },
  },
};

/** The same of each kind of fault. */
export const FAULTS: FaultTable = {
  crash: { label: '', phase: 'before', nth: 0, restartMs: 0 },
  freeze: { label: '', nth: 0, forMs: 0 },
  terminate: { atMs: 0, replica: 0 },
  aws: { effect: 'lost', operation: '', times: 0, ...span },
  kube: { effect: 'lost', label: '', times: 0, ...span },
  staleReads: { ageMs: 0, ...span },
  tagsStay: span,
  apiDown: span,
  partition: { replica: 0, ...span },
  watchLag: { lagMs: 0, ...span },
  watchTwice: span,
  watchSilent: { atMs: 0 },
  watchBroken: { atMs: 0 },
  compaction: { atMs: 0 },
  emptyLists: { plural: '', ...span },
  forbidden: { plural: '', ...span },
  leaseDeleted: { atMs: 0 },
  leaseStolen: { atMs: 0 },
};
