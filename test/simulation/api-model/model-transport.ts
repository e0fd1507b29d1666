import type {
  KubeRequest,
  KubeResponse,
  KubeTransport,
} from '../../../src/kube/client/kube-transport.ts';
import { ByteStream } from '../byte-stream.ts';
import type { ApiServerModel } from './api-server-model.ts';
import type { FeedEvent, WatchFeed } from './watch-feed.ts';

/** The model without a network between: every answer comes at once. */
export function createModelTransport(model: ApiServerModel, by: string): KubeTransport {
  return {
    request: async (request): Promise<KubeResponse> => {
      request.signal?.throwIfAborted();
      request.beforeSend?.();
      const answer = model.answer(request, by);
      if (answer.kind === 'watch') return watchResponse(request, answer.feed);
      return response(answer.status, answer.body);
    },
  };
}

export function response(status: number, text: string): KubeResponse {
  const body = new ByteStream(undefined);
  body.push(Buffer.from(text));
  body.end();
  return { status, headers: { 'content-type': 'application/json' }, body };
}

export function lineOf(event: FeedEvent): Uint8Array {
  return Buffer.from(`${JSON.stringify(event)}\n`);
}

function watchResponse(request: KubeRequest, feed: WatchFeed): KubeResponse {
  let close = (): void => {};
  const body = new ByteStream(request.signal, () => close());
  close = feed.open((event) => body.push(lineOf(event)));
  return { status: 200, headers: {}, body };
}
