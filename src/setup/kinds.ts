import { setUpAnnotatedConfigMap, setUpConfigMonitor } from './config-monitor.ts';
import type { ControllerSetup } from './context.ts';
import { setUpImmortalContainer } from './immortal-container.ts';
import { setUpMyApp } from './my-app.ts';
import { setUpMyIngress } from './my-ingress.ts';
import { setUpWebApp } from './web-app.ts';

/**
 * The one list of kinds, by their names in ALBRIDGE_KINDS and below deploy/components, in the order in
 * which they are set up. `npm run gen` writes every other list from it (deploy/kind-lists.ts).
 */
export const KINDS = {
  myingress: setUpMyIngress,
  configmonitor: setUpConfigMonitor,
  'configmap-annotation': setUpAnnotatedConfigMap,
  immortalcontainer: setUpImmortalContainer,
  myapp: setUpMyApp,
  webapp: setUpWebApp,
} as const satisfies Readonly<Record<string, ControllerSetup>>;
