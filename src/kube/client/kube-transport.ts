/**
 * The one way to the API server. Everything in kube/ stands above it; a test or the simulation
 * replaces it and runs the rest for real.
 */
export interface KubeTransport {
  /**
   * Resolves when the whole answer is there, for a watch when its headers are, whatever the status
   * is. Rejects with the signal's reason when it aborts, with BodyTooLarge where memory would not hold
   * the answer, and with the connection's error when there is none.
   */
  request(request: KubeRequest): Promise<KubeResponse>;
}

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path below the server's base address, already percent-encoded, without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /**
   * `watch` gets a connection of its own and no limit on silence or length. `lease` shares none with
   * work, so that no amount of it delays a renewal.
   */
  readonly lane?: 'watch' | 'lease';
  /** A write of status: the only one that `ALBRIDGE_MODE=observe` admits. */
  readonly isStatus?: boolean;
  /**
   * Called at the last moment before the request goes out, and again for a repetition inside the
   * transport; when it throws, nothing is sent. A transport that never waits need not call it.
   */
  readonly beforeSend?: () => void;
}

export interface KubeResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A watch's as it arrives; it must be read to its end or returned (`break` out of the loop). */
  readonly body: AsyncIterable<Uint8Array>;
}
