/** A promise of the operator that was broken; `invariant` is stable, `detail` tells what was seen. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
  readonly atMs: number;
}

export type Report = (invariant: string, detail: string) => void;
