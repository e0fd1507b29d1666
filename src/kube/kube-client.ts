import type { KubeRequest, KubeResponse } from './kube-transport.ts';

/** JSON requests over a KubeTransport. */
export interface KubeClient {
  /** The parsed body of a 2xx answer; throws KubeError for any other. */
  request<T>(request: KubeRequest): Promise<T>;
  /** A 2xx answer whose body is still to be read (a watch); throws KubeError for any other. */
  stream(request: KubeRequest): Promise<KubeResponse>;
}
