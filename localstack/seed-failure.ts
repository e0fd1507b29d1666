import { EC2ServiceException } from '@aws-sdk/client-ec2';

/** Throws an Error in words for a person where this is no address to seed at. */
export function readEndpoint(text: string | undefined): string {
  if (text === undefined || text === '') {
    throw new Error('set AWS_ENDPOINT_URL to the stand-in; a real account is never seeded');
  }
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Error(
    `AWS_ENDPOINT_URL is "${text}", without http:// or https://: set it to the URL of the stand-in, such as http://127.0.0.1:4566`,
  );
}

const NEXT = 'start the stand-in (npm run localstack -- up), or correct AWS_ENDPOINT_URL';

/** Why the stand-in at this address could not be seeded, with the next step where there is one. */
export function explainSeedFailure(thrown: unknown, endpoint: string): string {
  const { message, name, syscall } = thrown as NodeJS.ErrnoException;
  if (name === 'CredentialsProviderError')
    return `${message}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of which the stand-in takes any`;
  // A name with several addresses fails with one error for all of them, which has no words.
  if (thrown instanceof AggregateError || syscall === 'connect' || syscall === 'getaddrinfo')
    return `nothing answers at ${endpoint} (${message || 'no connection'}): ${NEXT}`;
  if (isForeignAnswer(thrown)) return `what answers at ${endpoint} is not like AWS: ${NEXT}`;
  return message;
}

/** An answer that is no document of AWS: the SDK fails to read it, or finds no words in it. */
function isForeignAnswer(thrown: unknown): boolean {
  if (thrown instanceof EC2ServiceException) return thrown.message === 'Unknown';
  return thrown instanceof Error && '$response' in thrown;
}
