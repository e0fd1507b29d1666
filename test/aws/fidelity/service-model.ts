import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pythonRecipes } from '../../../localstack/backends/python-recipe.ts';
import { ensureVirtualEnvironment } from '../../../localstack/backends/virtual-environment.ts';
import type { XmlElement } from './xml-tree.ts';

/** A part of AWS's own description of the service, as botocore ships it. */
interface Shape {
  readonly type: string;
  readonly members?: Readonly<Record<string, { readonly shape: string }>>;
  readonly member?: { readonly shape: string };
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly error?: { readonly code: string };
}

interface OperationModel {
  readonly output?: { readonly shape: string };
  readonly errors?: readonly { readonly shape: string }[];
}

/** A request and its answer from AWS's documentation. */
export interface Example {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly output?: Readonly<Record<string, unknown>>;
}

const SERVICE = 'botocore/data/elbv2/2015-12-01';

/** The ELBv2 model and examples of the botocore that is pinned with LocalStack's open runtime. */
export async function loadServiceModel(): Promise<ServiceModel> {
  const { directory } = await ensureVirtualEnvironment(pythonRecipes.localstack, {
    env: process.env,
    say: () => undefined,
  });
  for await (const found of glob(`lib/python3*/site-packages/${SERVICE}`, { cwd: directory })) {
    const path = join(directory, found);
    const zipped = await readFile(join(path, 'service-2.json.gz'));
    const examples = await readFile(join(path, 'examples-1.json'), 'utf8');
    return new ServiceModel(
      JSON.parse(gunzipSync(zipped).toString()) as Description,
      (JSON.parse(examples) as { examples: Readonly<Record<string, readonly Example[]>> }).examples,
    );
  }
  throw new Error(`no ${SERVICE} in ${directory}`);
}

interface Description {
  readonly operations: Readonly<Record<string, OperationModel>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

export class ServiceModel {
  readonly examples: Readonly<Record<string, readonly Example[]>>;
  readonly #description: Description;

  constructor(description: Description, examples: Readonly<Record<string, readonly Example[]>>) {
    this.#description = description;
    this.examples = examples;
  }

  get operations(): readonly string[] {
    return Object.keys(this.#description.operations);
  }

  /** Codes on the wire that the operation declares. */
  declaredCodes(operation: string): ReadonlySet<string> {
    const errors = this.#operation(operation).errors ?? [];
    return new Set(errors.map(({ shape }) => this.#shape(shape).error?.code ?? shape));
  }

  /** What of `<OperationResult>` does not fit the operation's output. */
  faultsIn(operation: string, result: XmlElement): readonly string[] {
    const output = this.#operation(operation).output?.shape;
    if (output !== undefined) return this.#faults(result, output, operation);
    return result.children.length === 0 ? [] : [`${operation} has no output`];
  }

  #faults(element: XmlElement, shapeName: string, path: string): readonly string[] {
    const shape = this.#shape(shapeName);
    switch (shape.type) {
      case 'structure':
        return this.#structureFaults(element, shape, path);
      case 'list':
        return this.#listFaults(element, shape, path);
      default:
        return scalarFaults(element, shape, path);
    }
  }

  #structureFaults(element: XmlElement, shape: Shape, path: string): readonly string[] {
    const { members = {}, required = [] } = shape;
    const names = element.children.map((child) => child.name);
    const missing = required.filter((name) => !names.includes(name));
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    return [
      ...missing.map((name) => `${path} lacks ${name}`),
      ...twice.map((name) => `${path} has ${name} twice`),
      ...element.children.flatMap((child) => {
        const member = members[child.name];
        const at = `${path}.${child.name}`;
        return member === undefined
          ? [`${at} is not modelled`]
          : this.#faults(child, member.shape, at);
      }),
    ];
  }

  #listFaults(element: XmlElement, shape: Shape, path: string): readonly string[] {
    const { member } = shape;
    if (member === undefined) throw new Error(`${path}: a list of nothing`);
    return element.children.flatMap((child, index) =>
      child.name === 'member'
        ? this.#faults(child, member.shape, `${path}[${index}]`)
        : [`${path} holds <${child.name}>`],
    );
  }

  #operation(name: string): OperationModel {
    const operation = this.#description.operations[name];
    if (operation === undefined) throw new Error(`AWS has no operation ${name}`);
    return operation;
  }

  #shape(name: string): Shape {
    const shape = this.#description.shapes[name];
    if (shape === undefined) throw new Error(`the model has no shape ${name}`);
    return shape;
  }
}

const SCALARS: Readonly<Record<string, RegExp>> = {
  string: /^[^<]*$/,
  integer: /^-?\d+$/,
  long: /^-?\d+$/,
  boolean: /^(true|false)$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
};

function scalarFaults(element: XmlElement, shape: Shape, path: string): readonly string[] {
  const { text, children } = element;
  if (children.length > 0) return [`${path} is no ${shape.type}`];
  const form = SCALARS[shape.type];
  if (form === undefined) throw new Error(`${path}: unknown type ${shape.type}`);
  if (!form.test(text)) return [`${path} is no ${shape.type}: ${text}`];
  const isListed = shape.enum === undefined || shape.enum.includes(text);
  return isListed ? [] : [`${path} is none of its values: ${text}`];
}
