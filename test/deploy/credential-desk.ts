import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OPERATOR_KEY } from '../surroundings/shipped-policy.ts';

/**
 * Hands out credentials as STS does to a web identity, and as the agent of EKS Pod Identity does, to
 * whoever shows the right token.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
export class CredentialDesk {
  readonly url: string;
  /** False: STS refuses, as for a role whose trust policy names another ServiceAccount. */
  trusts = true;
  readonly #server: Server;
  readonly #handedTo: string[] = [];
  readonly #expiry = new Date(Date.now() + 3_600_000);

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      void readAll(request).then((body) => {
        if (this.trusts) response.end(this.#answer(request, body));
        else response.writeHead(403).end(NOT_TRUSTED);
      });
    });
  }

  static async open(): Promise<CredentialDesk> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CredentialDesk(server);
  }

  /** Who got credentials, by role or by token. */
  get handedTo(): readonly string[] {
    return this.#handedTo;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, body: string): string {
    if (request.method === 'POST') return this.#sts(new URLSearchParams(body));
    this.#handedTo.push(request.headers.authorization ?? 'nobody');
    return JSON.stringify({
      AccessKeyId: OPERATOR_KEY,
      SecretAccessKey: 'stand-in',
      Token: 'stand-in',
      Expiration: this.#expiry.toISOString(),
    });
  }

  #sts(form: URLSearchParams): string {
    this.#handedTo.push(`${form.get('RoleArn')} ${form.get('WebIdentityToken')}`);
    return `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <AssumeRoleWithWebIdentityResult>
        <Credentials>
          <AccessKeyId>${OPERATOR_KEY}</AccessKeyId>
          <SecretAccessKey>stand-in</SecretAccessKey>
          <SessionToken>stand-in</SessionToken>
          <Expiration>${this.#expiry.toISOString()}</Expiration>
        </Credentials>
      </AssumeRoleWithWebIdentityResult>
    </AssumeRoleWithWebIdentityResponse>`;
  }
}

/** https://github.com/crossplane/crossplane/issues/5578 */
const NOT_TRUSTED = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error>
    <Type>Sender</Type>
    <Code>AccessDenied</Code>
    <Message>Not authorized to perform sts:AssumeRoleWithWebIdentity</Message>
  </Error>
</ErrorResponse>`;

async function readAll(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
