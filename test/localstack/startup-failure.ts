import { registerHooks } from 'node:module';

/** Preloaded into an operator: the controller of WebApps cannot be set up. */
registerHooks({
  load: (url, context, next) => {
    if (!url.endsWith('/src/controllers/web-app/controller.ts')) return next(url, context);
    const source = `export function createWebAppReconciler() { throw new TypeError('no reconciler'); }`;
    return { format: 'module', source, shortCircuit: true };
  },
});
