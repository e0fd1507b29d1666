import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pythonRecipes } from '../../../localstack/backends/python-recipe.ts';
import { ensureVirtualEnvironment } from '../../../localstack/backends/virtual-environment.ts';
import type { RelayedAnswer } from '../relay.ts';
import { type Protocol, WIRE_FORMS, type WireForm } from './wire-forms.ts';
import type { XmlElement } from './xml-tree.ts';

/** A part of AWS's own description of the service, as botocore ships it. */
interface Shape {
  readonly type: string;
  readonly members?: Readonly<Record<string, Member>>;
  readonly member?: Member;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly error?: { readonly code: string };
}

interface Member {
  readonly shape: string;
  /** Its name on the wire, where that is another. */
  readonly locationName?: string;
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

type Service = 'elbv2/2015-12-01' | 'ec2/2016-11-15' | 'acm/2015-12-08';

/** A service's model and examples, of the botocore that is pinned with LocalStack's open runtime. */
export async function loadServiceModel(service: Service): Promise<ServiceModel> {
  const folder = `botocore/data/${service}`;
  const { directory } = await ensureVirtualEnvironment(pythonRecipes.localstack, {
    env: process.env,
    say: () => undefined,
  });
  for await (const found of glob(`lib/python3*/site-packages/${folder}`, { cwd: directory })) {
    const path = join(directory, found);
    const zipped = await readFile(join(path, 'service-2.json.gz'));
    const examples = await readFile(join(path, 'examples-1.json'), 'utf8');
    return new ServiceModel(
      JSON.parse(gunzipSync(zipped).toString()) as Description,
      (JSON.parse(examples) as { examples: Readonly<Record<string, readonly Example[]>> }).examples,
    );
  }
  throw new Error(`no ${folder} in ${directory}`);
}

interface Description {
  readonly metadata: { readonly protocol: Protocol };
  readonly operations: Readonly<Record<string, OperationModel>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

export class ServiceModel {
  readonly examples: Readonly<Record<string, readonly Example[]>>;
  readonly #description: Description;
  readonly #form: WireForm;
  /** Structures in the answers until now, each with the members that it had. */
  readonly #seen = new Map<string, Set<string>>();

  constructor(description: Description, examples: Readonly<Record<string, readonly Example[]>>) {
    this.#description = description;
    this.#form = WIRE_FORMS[description.metadata.protocol];
    this.examples = examples;
  }

  get operations(): readonly string[] {
    return Object.keys(this.#description.operations);
  }

  /** Of the structures in the answers until now, the members that no answer had. */
  get unseen(): Readonly<Record<string, readonly string[]>> {
    const lacking = Array.from(this.#seen, ([name, seen]) => {
      const members = Object.keys(this.#shape(name).members ?? {});
      return [name, members.filter((member) => !seen.has(member))] as const;
    });
    return Object.fromEntries(lacking.filter(([, members]) => members.length > 0));
  }

  /** What of an answer the model does not allow. */
  faultsOf({ operation, status, body }: RelayedAnswer): readonly string[] {
    if (status < 300) return this.#outputFaults(operation, body);
    const code = this.#form.codeOf(body);
    const { commonCodes } = this.#form;
    if (commonCodes === undefined || commonCodes.has(code)) return [];
    if (this.#declaredCodes(operation).has(code)) return [];
    return [`${operation} answers ${code}, which AWS does not declare for it`];
  }

  #declaredCodes(operation: string): ReadonlySet<string> {
    const errors = this.#operation(operation).errors ?? [];
    return new Set(errors.map(({ shape }) => this.#shape(shape).error?.code ?? shape));
  }

  #outputFaults(operation: string, body: string): readonly string[] {
    const output = this.#operation(operation).output?.shape;
    const result = this.#form.outputOf(body, operation);
    if (output !== undefined) return this.#faults(result, output, operation);
    const said = result.children.map(({ name, text }) => `${name}=${text}`).join();
    return said === this.#form.noOutput ? [] : [`${operation} has no output: ${said}`];
  }

  #faults(element: XmlElement, shapeName: string, path: string): readonly string[] {
    const shape = this.#shape(shapeName);
    const { type } = shape;
    if (type !== 'structure' && type !== 'list') return this.#scalarFaults(element, shape, path);
    if (element.text !== '') return [`${path} is no ${type}: ${element.text}`];
    if (type === 'list') return this.#listFaults(element, shape, path);
    return this.#structureFaults(element, shapeName, path);
  }

  #structureFaults(element: XmlElement, shapeName: string, path: string): readonly string[] {
    const { members = {}, required = [] } = this.#shape(shapeName);
    const modelled = new Map(
      Object.entries(members).map(([name, member]) => [
        member.locationName ?? name,
        { name, member },
      ]),
    );
    const names = element.children.map((child) => child.name);
    const missing = required.filter((name) => !names.includes(members[name]?.locationName ?? name));
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    const seen = this.#seen.get(shapeName) ?? new Set();
    this.#seen.set(shapeName, seen);
    return [
      ...missing.map((name) => `${path} lacks ${name}`),
      ...twice.map((name) => `${path} has ${name} twice`),
      ...element.children.flatMap((child) => {
        const { name, member } = modelled.get(child.name) ?? {};
        const at = `${path}.${child.name}`;
        if (name === undefined || member === undefined) return [`${at} is not modelled`];
        seen.add(name);
        return this.#faults(child, member.shape, at);
      }),
    ];
  }

  #listFaults(element: XmlElement, shape: Shape, path: string): readonly string[] {
    const { member } = shape;
    if (member === undefined) throw new Error(`${path}: a list of nothing`);
    return element.children.flatMap((child, index) =>
      child.name === (member.locationName ?? 'member')
        ? this.#faults(child, member.shape, `${path}[${index}]`)
        : [`${path} holds <${child.name}>`],
    );
  }

  #scalarFaults({ text, children }: XmlElement, shape: Shape, path: string): readonly string[] {
    if (children.length > 0) return [`${path} is no ${shape.type}`];
    const form = this.#form.scalars[shape.type];
    if (form === undefined) throw new Error(`${path}: unknown type ${shape.type}`);
    const [, value] = form.exec(text) ?? [];
    if (value === undefined) return [`${path} is no ${shape.type}: ${text}`];
    const isListed = shape.enum === undefined || shape.enum.includes(value);
    return isListed ? [] : [`${path} is none of its values: ${text}`];
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
