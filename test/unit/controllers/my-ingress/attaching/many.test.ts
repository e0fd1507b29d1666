import { expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import type {
  AttachingObject,
  SourceRef,
} from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import {
  Attachments,
  type RouteSource,
} from '../../../../../src/controllers/my-ingress/attaching/attachments.ts';
import { NamespaceLabels } from '../../../../../src/controllers/my-ingress/attaching/namespace-labels.ts';
import { draftApp, PLAIN } from './app.ts';

const MANY = 400;
/** Reads of one object for each time that all are gone through. */
const FEW = 40;

type AllowedNamespaces = NonNullable<MyIngress['spec']['allowedNamespaces']>;

/** Objects of another namespace that count how often anything of them is read. */
class Crowd {
  reads = 0;
  readonly told = new Set<string>();
  readonly #synced = Promise.withResolvers<void>();
  #onChange: Parameters<RouteSource['follow']>[0] = () => undefined;
  readonly attachments: Attachments;

  constructor(allowedNamespaces: AllowedNamespaces | undefined) {
    const metadata = { namespace: 'web', name: 'shared', uid: 'u', generation: 1 };
    const spec = { ...PLAIN, ...(allowedNamespaces && { allowedNamespaces }) };
    const object = { metadata, spec, status: {} } as unknown as MyIngress;
    const source: RouteSource = {
      synced: this.#synced.promise,
      follow: (onChange) => {
        this.#onChange = onChange;
        return () => undefined;
      },
      recall: () => [],
    };
    this.attachments = new Attachments({
      cache: {
        get: (key) => (key === 'web/shared' && allowedNamespaces ? object : undefined),
        list: () => (allowedNamespaces ? [object] : []),
        subscribe: () => () => undefined,
      },
      ...{ sources: [source], namespaces: [], labels: new NamespaceLabels(undefined) },
    });
    this.attachments.follow(({ name }) => void this.told.add(name));
    this.attachments.start();
  }

  put(index: number, host: string): void {
    const name = `app-${index}`;
    const draft = draftApp(name, { namespace: 'team', hosts: [host] });
    const ref: SourceRef = { kind: 'WebApp', namespace: 'team', name };
    const count = (): void => void (this.reads += 1);
    const object: AttachingObject = {
      ...draft,
      get namespace() {
        count();
        return 'team';
      },
    };
    this.#onChange(ref, object);
  }

  async know(): Promise<void> {
    this.#synced.resolve();
    await this.attachments.known;
    await Promise.resolve();
  }
}

it.each([
  ['are not allowed', { from: 'Same' }],
  ['are allowed, beyond the quota', { from: 'All' }],
  ['name a MyIngress that is not there', undefined],
] as const)(
  'an edit of one of many objects that %s costs each of them little',
  async (_what, allowed) => {
    const crowd = new Crowd(allowed);
    for (let index = 0; index < MANY; index += 1) crowd.put(index, `h${index}.example.com`);
    await crowd.know();
    expect(crowd.told.size).toBe(MANY);
    expect(crowd.reads).toBeLessThan(2 * FEW * MANY);
    crowd.reads = 0;
    crowd.put(0, 'edited.example.com');
    expect(crowd.reads).toBeGreaterThan(0);
    expect(crowd.reads).toBeLessThan(FEW * MANY);
  },
);
