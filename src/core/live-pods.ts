/** The pods that there are, past every cache. */
export interface LivePods {
  /** UIDs of the pods of a namespace that have all the labels; throws OperatorError. */
  uidsOf(
    namespace: string,
    labels: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>>;
}
