const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

type HttpRequest = Readonly<Record<'protocol' | 'hostname' | 'path', string>> & {
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
};

export interface SentRequest {
  readonly to: string;
  readonly target: string | undefined;
  readonly type: string | undefined;
  readonly scope: string | undefined;
  readonly body: string;
}

/** Settings by which the SDK chooses an endpoint. */
export const PLACES: readonly object[] = [
  ...['us-gov-west-1', 'cn-north-1', 'us-iso-east-1'].map((region) => ({ region })),
  ...['us-gov-west-1', 'us-east-1'].map((region) => ({ region, useFipsEndpoint: true })),
  ...['cn-north-1', 'us-east-1'].map((region) => ({ region, useDualstackEndpoint: true })),
  ...['us-gov-west-1', 'us-east-1'].map((region) => {
    return { region, useFipsEndpoint: true, useDualstackEndpoint: true };
  }),
];

/** The request that a client would send: nothing leaves the process. */
export async function requestOf(
  create: (options: object) => { send(command: never): Promise<unknown> },
  command: object,
  place: object = { region: 'eu-west-1' },
): Promise<SentRequest> {
  let sent: SentRequest | undefined;
  const requestHandler = {
    async handle({ protocol, hostname, path, body, headers }: HttpRequest) {
      const scope = /Credential=[^/]+\/\d+\/([^,]+)/.exec(headers['authorization'] ?? '')?.[1];
      const to = `${protocol}//${hostname}${path}`;
      const { 'x-amz-target': target, 'content-type': type } = headers;
      sent = { to, target, type, scope, body: Buffer.from(body).toString() };
      throw new Error('not sent');
    },
  };
  const client = create({ ...place, credentials, maxAttempts: 1, requestHandler });
  await client.send(command as never).catch(() => undefined);
  if (sent === undefined) throw new Error('nothing was sent');
  return sent;
}
