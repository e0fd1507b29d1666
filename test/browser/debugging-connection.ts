import { once } from 'node:events';
import { WebSocket } from 'undici';

type JsonObject = Readonly<Record<string, unknown>>;

interface Answer {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly message: string };
}

interface Waiting {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

/** Commands of https://chromedevtools.github.io/devtools-protocol/ over one WebSocket. */
export class DebuggingConnection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #complaints = new Map<string, string[]>();
  readonly #requests = new Map<string, string[]>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      this.#receive(JSON.parse(String(data)) as Answer);
    });
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Chromium has gone'));
    });
  }

  static async open(address: string): Promise<DebuggingConnection> {
    const socket = new WebSocket(address);
    const connection = new DebuggingConnection(socket);
    await once(socket, 'open');
    return connection;
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<JsonObject> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    });
  }

  listComplaints(sessionId: string): readonly string[] {
    return this.#complaints.get(sessionId) ?? [];
  }

  /** The URLs that a page has asked for since `Network.enable`. */
  listRequests(sessionId: string): readonly string[] {
    return this.#requests.get(sessionId) ?? [];
  }

  close(): void {
    this.#socket.close();
  }

  #receive({ id, result, error, method, params, sessionId = '' }: Answer): void {
    if (method !== undefined) return this.#record(method, params ?? {}, sessionId);
    const waiting = this.#waiting.get(id ?? 0);
    this.#waiting.delete(id ?? 0);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result ?? {});
  }

  #record(method: string, params: JsonObject, sessionId: string): void {
    if (method === 'Log.entryAdded' || method === 'Runtime.exceptionThrown') {
      const complaint = JSON.stringify(params['entry'] ?? params['exceptionDetails']);
      append(this.#complaints, sessionId, complaint);
    }
    if (method === 'Network.requestWillBeSent') {
      const { url } = params['request'] as { readonly url: string };
      append(this.#requests, sessionId, url);
    }
  }
}

function append(lists: Map<string, string[]>, key: string, text: string): void {
  lists.set(key, [...(lists.get(key) ?? []), text]);
}
