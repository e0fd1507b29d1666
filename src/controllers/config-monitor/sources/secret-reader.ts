import type { ObjectCache } from '../../../core/ports/cache.ts';
import type { TrimmedSource } from './data-hash.ts';

/** The Secrets that are watched, if they are. */
export interface SecretReader extends Pick<ObjectCache<TrimmedSource>, 'get'> {
  /** Why none can be read now; undefined when they can. */
  findFault(): SecretFault | undefined;
  /** The first eight hexadecimal digits of a digest of the key that they are hashed with. */
  readonly keyId: string;
}

export type SecretFault =
  /** The component is not installed. */
  | { readonly kind: 'off' }
  /** One sentence without a full stop: the watch is not complete yet, or is refused. */
  | { readonly kind: 'unread'; readonly why: string };
