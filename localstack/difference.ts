import type { BackendName } from './backends/backend.ts';

/** One behaviour of AWS that not every stand-in has. */
export interface Difference {
  /** AWS's behaviour. */
  readonly aws: string;
  /** Where that is said. */
  readonly source: string;
  /** The stand-in's behaviour; a stand-in without an entry does what AWS does. */
  readonly instead: Readonly<Partial<Record<BackendName, string>>>;
  /** The part that neither the source nor a recording of AWS shows; the embedded stand-in does it all the same. */
  readonly unverified?: string;
}

/** LocalStack's open runtime and moto's server stand on the same backend. */
export function inMoto(what: string): Difference['instead'] {
  return { localstack: what, moto: what };
}
