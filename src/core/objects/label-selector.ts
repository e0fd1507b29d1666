/** One condition on one label, as in https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/label-selector/ */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Of In and NotIn: at least one. */
  readonly values?: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** Labels that an object must have, and conditions that must hold as well. */
export interface LabelSelector {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly LabelRequirement[];
}

export function matchesLabels(
  { matchLabels, matchExpressions }: LabelSelector,
  labels: Labels,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((requirement) => {
      const { key } = requirement;
      return meets(Object.hasOwn(labels, key) ? labels[key] : undefined, requirement);
    })
  );
}

/** NotIn also holds where the label is missing, as in Kubernetes. */
function meets(value: string | undefined, { operator, values = [] }: LabelRequirement): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

/**
 * The selector as `kubectl get pods -l` and the API server take it, the same text for the same selector
 * whatever its order: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api
 */
export function formatSelector({ matchLabels, matchExpressions }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  return [...labels, ...matchExpressions.map(formatRequirement)].toSorted().join(',');
}

/** A set of the empty value alone cannot be written as `in ()`. */
function formatRequirement({ key, operator, values = [] }: LabelRequirement): string {
  const sorted = values.toSorted();
  switch (operator) {
    case 'In':
      return sorted.length === 1 ? `${key}=${sorted[0]}` : `${key} in (${sorted.join(',')})`;
    case 'NotIn':
      return sorted.length === 1 ? `${key}!=${sorted[0]}` : `${key} notin (${sorted.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}

export type ParsedSelector =
  | { readonly kind: 'selector'; readonly selector: LabelSelector }
  /** States the mistake and its character, counted from 1. */
  | { readonly kind: 'problem'; readonly problem: string };

/**
 * Reads what `kubectl get pods -l` takes, but for the comparisons `<` and `>`:
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api
 */
export function parseSelector(text: string): ParsedSelector {
  try {
    return { kind: 'selector', selector: new Parser(text).read() };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { kind: 'problem', problem: error.message };
    throw error;
  }
}

const KEY =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const WORD = /[^\s,()=!<>]*/y;
const SIGN = /==|=|!=|/y;

class SyntaxProblem extends Error {
  constructor(index: number, what: string) {
    super(`at character ${index + 1}: ${what}`);
    this.name = 'SyntaxProblem';
  }
}

class Parser {
  readonly #text: string;
  readonly #labels = new Map<string, string>();
  readonly #requirements: LabelRequirement[] = [];
  #index = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): LabelSelector {
    do this.#readRequirement();
    while (this.#take(','));
    if (this.#index < this.#text.length) this.#refuse('expected a comma');
    const matchLabels = Object.fromEntries(this.#labels);
    return { matchLabels, matchExpressions: this.#requirements };
  }

  #readRequirement(): void {
    const isDenied = this.#take('!');
    this.#skipBlanks();
    const start = this.#index;
    const key = this.#readWord(KEY, 'expected the key of a label');
    if (isDenied) return this.#add({ key, operator: 'DoesNotExist' });
    const sign = this.#match(SIGN);
    if (sign === '=' || sign === '==') return this.#addLabel(key, start);
    if (sign === '!=') return this.#add({ key, operator: 'NotIn', values: [this.#readValue()] });
    this.#readSet(key);
  }

  #addLabel(key: string, start: number): void {
    const value = this.#readValue();
    const other = this.#labels.get(key);
    if (other !== undefined) {
      throw new SyntaxProblem(start, `${key} is given twice; write ${key} in (a,b) for one of two`);
    }
    this.#labels.set(key, value);
  }

  /** A word behind a key is an operator; without one the key alone is asked for. */
  #readSet(key: string): void {
    const start = this.#index;
    const word = this.#match(WORD);
    if (word === '') return this.#add({ key, operator: 'Exists' });
    if (word !== 'in' && word !== 'notin') {
      throw new SyntaxProblem(start, 'expected =, ==, !=, in, notin or a comma');
    }
    if (!this.#take('(')) this.#refuse(`expected ( after ${word}`);
    const values = new Set<string>();
    do values.add(this.#readValue());
    while (this.#take(','));
    if (!this.#take(')')) this.#refuse('expected a comma or )');
    this.#add({ key, operator: word === 'in' ? 'In' : 'NotIn', values: [...values] });
  }

  #add(requirement: LabelRequirement): void {
    this.#requirements.push(requirement);
  }

  #readValue(): string {
    return this.#readWord(VALUE, 'expected the value of a label');
  }

  #readWord(form: RegExp, expected: string): string {
    this.#skipBlanks();
    const start = this.#index;
    const word = this.#match(WORD);
    if (!form.test(word)) throw new SyntaxProblem(start, expected);
    return word;
  }

  #take(sign: string): boolean {
    this.#skipBlanks();
    if (!this.#text.startsWith(sign, this.#index)) return false;
    this.#index += sign.length;
    return true;
  }

  /** Takes what the form matches here, and the blanks around it. */
  #match(form: RegExp): string {
    this.#skipBlanks();
    form.lastIndex = this.#index;
    const [found = ''] = form.exec(this.#text) ?? [];
    this.#index += found.length;
    this.#skipBlanks();
    return found;
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text.charAt(this.#index))) this.#index += 1;
  }

  #refuse(expected: string): never {
    throw new SyntaxProblem(this.#index, expected);
  }
}
