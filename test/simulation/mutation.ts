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
