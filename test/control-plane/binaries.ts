import { versions } from './versions.ts';

export type BinaryName =
  | 'etcd'
  | 'etcd-oldest'
  | 'kube-apiserver'
  | 'kube-apiserver-oldest'
  | 'kubectl'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'
  | 'helm'
  | 'kube-score'
  | 'kubeconform'
  | 'kstatus';

/** What is known of a binary, however it is obtained. */
export interface Binary {
  /** The product whose release it belongs to; also the directory under `modules/`. */
  readonly product:
    | 'kubernetes'
    | 'kubernetes-oldest'
    | 'etcd'
    | 'etcd-oldest'
    | 'kwok'
    | 'helm'
    | 'kube-score'
    | 'kubeconform'
    | 'kstatus';
  readonly version: string;
  readonly goPackage: string;
  /** Minutes of a first `go build` on two cores; the Go caches make later ones seconds. */
  readonly buildMinutes: number;
}

const kubernetes = { product: 'kubernetes', version: versions.kubernetes } as const;

export const binaries: Readonly<Record<BinaryName, Binary>> = {
  etcd: {
    product: 'etcd',
    version: versions.etcd,
    goPackage: 'go.etcd.io/etcd/server/v3',
    buildMinutes: 1,
  },
  'etcd-oldest': {
    product: 'etcd-oldest',
    version: versions.oldestEtcd,
    goPackage: 'go.etcd.io/etcd/server/v3',
    buildMinutes: 1,
  },
  'kube-apiserver': {
    ...kubernetes,
    goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver',
    buildMinutes: 6,
  },
  'kube-apiserver-oldest': {
    product: 'kubernetes-oldest',
    version: versions.oldestKubernetes,
    goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver',
    buildMinutes: 6,
  },
  kubectl: { ...kubernetes, goPackage: 'k8s.io/kubernetes/cmd/kubectl', buildMinutes: 1 },
  'kube-controller-manager': {
    ...kubernetes,
    goPackage: 'k8s.io/kubernetes/cmd/kube-controller-manager',
    buildMinutes: 2,
  },
  'kube-scheduler': {
    ...kubernetes,
    goPackage: 'k8s.io/kubernetes/cmd/kube-scheduler',
    buildMinutes: 1,
  },
  kwok: {
    product: 'kwok',
    version: versions.kwok,
    goPackage: 'sigs.k8s.io/kwok/cmd/kwok',
    buildMinutes: 2,
  },
  helm: {
    product: 'helm',
    version: versions.helm,
    goPackage: 'helm.sh/helm/v4/cmd/helm',
    buildMinutes: 3,
  },
  'kube-score': {
    product: 'kube-score',
    version: versions.kubeScore,
    goPackage: 'github.com/zegl/kube-score/cmd/kube-score',
    buildMinutes: 1,
  },
  kubeconform: {
    product: 'kubeconform',
    version: versions.kubeconform,
    goPackage: 'github.com/yannh/kubeconform/cmd/kubeconform',
    buildMinutes: 1,
  },
  kstatus: {
    product: 'kstatus',
    version: versions.kstatus,
    goPackage: 'albridge.test/kstatus',
    buildMinutes: 1,
  },
};

export const binaryNames = Object.keys(binaries) as readonly BinaryName[];
