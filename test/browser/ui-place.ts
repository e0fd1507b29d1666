import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import {
  callApi,
  createNamespace,
  installDefinition,
  pathOf,
  succeeded,
} from '../envtest/crd-api.ts';
import { startUi, type UiProcess } from '../surroundings/ui-process.ts';
import { readMyIngressDefinition } from '../unit/crds/custom-resource-definition.ts';
import { Browser, type BrowserPage } from './browser.ts';

const definition = readMyIngressDefinition();
const EXAMPLE = new URL('../../examples/10-rules.yaml', import.meta.url);

/** A control plane with one MyIngress, `web`, its page, and a browser that shows it. */
export class UiPlace {
  readonly plane: ControlPlane;
  readonly browser: Browser;
  readonly namespace: string;
  readonly served: UiProcess;
  readonly page: BrowserPage;

  private constructor(parts: Pick<UiPlace, 'plane' | 'browser' | 'namespace' | 'served' | 'page'>) {
    this.plane = parts.plane;
    this.browser = parts.browser;
    this.namespace = parts.namespace;
    this.served = parts.served;
    this.page = parts.page;
  }

  static async start(prefix = 'shop'): Promise<UiPlace> {
    const [plane, browser] = await Promise.all([startControlPlane(), Browser.start()]);
    await installDefinition(plane, definition);
    const namespace = await createNamespace(plane, prefix);
    await createIngress(plane, namespace, 'web');
    const served = await startUi(plane.kubeconfigPath);
    const page = await browser.openPage();
    await page.visit(served.url);
    return new UiPlace({ plane, browser, namespace, served, page });
  }

  /** That of examples/10-rules.yaml. */
  create(name: string): Promise<void> {
    return createIngress(this.plane, this.namespace, name);
  }

  async delete(name: string): Promise<void> {
    const path = pathOf(definition, this.namespace, name);
    succeeded(await callApi(this.plane, { method: 'DELETE', path }));
  }

  /** Writes a condition Ready that is False. */
  async report(name: string, reason: string, message: string): Promise<void> {
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const ready = { type: 'Ready', status: 'False', reason, message, lastTransitionTime };
    const body = { status: { observedGeneration: 1, conditions: [ready] } };
    const path = `${pathOf(definition, this.namespace, name)}/status`;
    succeeded(await callApi(this.plane, { method: 'PATCH', path, patch: 'merge', body }));
  }

  /** Adds an HTTP listener to its spec. */
  async listenOn(name: string, port: number): Promise<void> {
    const path = pathOf(definition, this.namespace, name);
    const body = [{ op: 'add', path: '/spec/listeners/-', value: { port, protocol: 'HTTP' } }];
    succeeded(await callApi(this.plane, { method: 'PATCH', path, patch: 'json', body }));
  }

  async stop(): Promise<void> {
    await this.served.stop();
    await Promise.all([this.plane.stop(), this.browser.close()]);
  }
}

async function createIngress(plane: ControlPlane, namespace: string, name: string): Promise<void> {
  const [manifest = ''] = (await readFile(EXAMPLE, 'utf8')).split('\n---\n');
  const object = parse(manifest) as { readonly metadata: object };
  const body = { ...object, metadata: { ...object.metadata, name } };
  succeeded(await callApi(plane, { method: 'POST', path: pathOf(definition, namespace), body }));
}
