/** Powers of ten and of two: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const TENS = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const TWOS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const NANOS_EXPONENT = 9;

/** True for `0.5` and `500m`: the API server stores a quantity in another form than it was given. */
export function isSameQuantity(one: unknown, other: unknown): boolean {
  const nanos = toNanos(one);
  return nanos !== undefined && nanos === toNanos(other);
}

/** False where one of them is no quantity. */
export function isMoreThanQuantity(one: unknown, other: unknown): boolean {
  const [nanos, otherNanos] = [toNanos(one), toNanos(other)];
  return nanos !== undefined && otherNanos !== undefined && nanos > otherNanos;
}

/** In billionths, the least that the API server stores; undefined where it is no quantity. */
function toNanos(quantity: unknown): bigint | undefined {
  if (typeof quantity !== 'string' && typeof quantity !== 'number') return undefined;
  const parts =
    /^([+-]?)(?=\.?\d)(\d{0,32})(?:\.(\d{0,32}))?(?:[eE]([+-]?\d{1,2})|([a-zA-Z]{0,2}))$/.exec(
      `${quantity}`,
    );
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0', suffix = ''] = parts;
  const factor = getFactor(suffix);
  if (factor === undefined) return undefined;
  const digits = BigInt(whole + fraction) * factor.twos;
  const scaled = scale(digits, NANOS_EXPONENT + factor.tens + Number(exponent) - fraction.length);
  return sign === '-' ? -scaled : scaled;
}

function getFactor(suffix: string): { readonly tens: number; readonly twos: bigint } | undefined {
  const power = TENS.indexOf(suffix);
  if (power >= 0) return { tens: 3 * power - NANOS_EXPONENT, twos: 1n };
  const powerOfTwo = TWOS.indexOf(suffix);
  return powerOfTwo < 0 ? undefined : { tens: 0, twos: 1024n ** BigInt(powerOfTwo) };
}

/** Rounded up, as the API server does. */
function scale(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (digits + divisor - 1n) / divisor;
}
