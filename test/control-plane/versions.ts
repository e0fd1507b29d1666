/**
 * The one place where versions are pinned. The Go modules beside this file pin the same
 * numbers; a unit test compares them.
 */
export const versions = {
  kubernetes: '1.36.4',
  /** The oldest that docs/install.md promises; of it the API server and its etcd are built. */
  oldestKubernetes: '1.32.13',
  etcd: '3.6.14',
  /** The one that Kubernetes 1.32.13 comes with, by DefaultEtcdVersion in its cmd/kubeadm/app/constants/constants.go. */
  oldestEtcd: '3.5.24',
  kwok: '0.8.0',
  helm: '4.2.4',
  kubeScore: '1.20.0',
  kubeconform: '0.7.0',
  /** github.com/fluxcd/cli-utils, of which a program in modules/kstatus prints what it computes. */
  kstatus: '1.2.3',
  /**
   * The envtest archive of controller-tools is published for few patch releases only, so it lags
   * within the same minor version: https://book.kubebuilder.io/reference/artifacts
   */
  envtest: '1.36.0',
  /** The oldest Go that all modules accept (the `go` line of their go.mod). */
  go: '1.26',
} as const;
