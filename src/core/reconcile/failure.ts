import { OperatorError, type OperatorErrorOptions } from './operator-error.ts';

/** A kind's reasons: what heals each, and what to do next. */
type Reasons = Readonly<
  Record<string, { readonly healedBy: 'person' | 'time' | 'nobody'; readonly next: string }>
>;

/** Those that are failures. */
type FailureReason<Table extends Reasons> = {
  [Name in keyof Table & string]: Table[Name]['healedBy'] extends 'nobody' ? never : Name;
}[keyof Table & string];

/** The blanks of `kubectl logs <pod>` are `pod`. */
type Blank<Text> = Text extends `${string}<${infer Name}>${infer Rest}`
  ? Name | Blank<Rest>
  : never;

interface Parts extends Pick<OperatorErrorOptions, 'retryAfterMs' | 'details'> {
  /** In lower case, without a full stop: the object and what is wrong with it. */
  readonly observed: string;
  /** Values for the blanks in what to do next. */
  readonly fill?: Readonly<Record<string, string>>;
}

/** As `Parts`, with a value for each blank. */
type FilledParts<Next> = Parts &
  ([Blank<Next>] extends [never] ? unknown : { readonly fill: Record<Blank<Next>, string> });

/** Builds the error of a reason: the message is what was observed, then what the table says to do next. */
export function createFailure<Table extends Reasons, Reason extends FailureReason<Table>>(
  reasons: Table,
  reason: Reason,
  parts: FilledParts<Table[Reason]['next']>,
): OperatorError {
  const { healedBy, next } = reasons[reason] as Reasons[string];
  const { observed, fill = {}, ...more }: Parts = parts;
  const blanks = Object.entries(fill);
  const filled = blanks.reduce((text, [name, value]) => text.replaceAll(`<${name}>`, value), next);
  return new OperatorError({
    reason,
    message: `${observed}; ${filled}`,
    healedBy: healedBy === 'time' ? 'time' : 'person',
    ...more,
  });
}
