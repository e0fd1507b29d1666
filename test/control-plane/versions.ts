/**
 * The one place where versions are pinned. The Go modules beside this file pin the same
 * numbers; a unit test compares them.
 */
export const versions = {
  kubernetes: '1.36.4',
  etcd: '3.6.14',
  kwok: '0.8.0',
  helm: '4.2.4',
  /**
   * The envtest archive of controller-tools is published for few patch releases only, so it lags
   * within the same minor version: https://book.kubebuilder.io/reference/artifacts
   */
  envtest: '1.36.0',
  /** The oldest Go that all modules accept (the `go` line of their go.mod). */
  go: '1.26',
} as const;
