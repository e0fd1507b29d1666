import type { Json } from '../api-model/stored-object.ts';
import type { TemplateUse, Way } from './actions.ts';
import { USES } from './watched.ts';

/** Of sources in these worlds: see story.ts. */
const OTHER_KEYS = ['user', 'password', 'crt', 'a', 'b', 'all'] as const;

/** The annotation that tells the simulation what pods use, and the spec that tells it the operator. */
export function templateOf(
  labels: Readonly<Record<string, string>>,
  uses: readonly TemplateUse[],
): Json {
  const told = uses.map(({ kind, name, key, isOptional }) => ({
    kind,
    name,
    ...(key !== undefined && { key }),
    ...(isOptional && { isOptional }),
  }));
  const own = uses.filter(({ isInit }) => isInit !== true);
  const first = uses.filter(({ isInit }) => isInit === true);
  const volumes = uses.flatMap(volumeOf);
  return {
    metadata: { labels, annotations: { [USES]: JSON.stringify(told) } },
    spec: {
      ...(first.length > 0 && { initContainers: [containerOf('init', first)] }),
      containers: [containerOf('app', own)],
      ...(volumes.length > 0 && { volumes }),
    },
  };
}

function containerOf(name: string, uses: readonly TemplateUse[]): Json {
  const env = uses.flatMap((use) => (use.way === 'env' ? [envOf(use)] : []));
  const envFrom = uses.flatMap(({ way, kind, name: of, isOptional }) =>
    way === 'envFrom'
      ? [
          {
            [kind === 'Secret' ? 'secretRef' : 'configMapRef']: {
              name: of,
              ...optionally(isOptional),
            },
          },
        ]
      : [],
  );
  const volumeMounts = uses.flatMap((use) => (isVolume(use) ? [mountOf(use)] : []));
  return {
    name,
    image: 'registry.example/app:1',
    ...(env.length > 0 && { env }),
    ...(envFrom.length > 0 && { envFrom }),
    ...(volumeMounts.length > 0 && { volumeMounts }),
  };
}

function envOf({ kind, name, key = '', isOptional }: TemplateUse): Json {
  const field = kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef';
  const ref = { name, key, ...optionally(isOptional) };
  return { name: `${name}_${key}`.toUpperCase(), valueFrom: { [field]: ref } };
}

function optionally(isOptional: true | undefined): Json {
  return isOptional === undefined ? {} : { optional: true };
}

/** A file of the volume, or the directory of its items. */
function mountOf(use: TemplateUse): Json {
  const { way, key } = use;
  const name = nameVolume(use);
  const mount = { name, mountPath: `/etc/${name}` };
  if (way === 'subPath') return { ...mount, subPath: key };
  return way === 'itemPath' ? { ...mount, subPath: `./of//${key}/` } : mount;
}

function volumeOf(use: TemplateUse): readonly Json[] {
  if (!isVolume(use)) return [];
  const { kind, name: of, key, way, isOptional } = use;
  const items = { ...itemsOf(way, key), ...optionally(isOptional) };
  const name = nameVolume(use);
  if (way === 'projected') {
    const field = kind === 'Secret' ? 'secret' : 'configMap';
    return [{ name, projected: { sources: [{ [field]: { name: of, ...items } }] } }];
  }
  if (kind === 'Secret') return [{ name, secret: { secretName: of, ...items } }];
  return [{ name, configMap: { name: of, ...items } }];
}

/** With a subPath all keys are in the volume, and one is mounted; with paths the others are in other directories. */
function itemsOf(way: Way, key: string | undefined): Json {
  if (key === undefined || way === 'subPath') return {};
  if (way !== 'itemPath') return { items: [{ key, path: key }] };
  const others = OTHER_KEYS.filter((other) => other !== key);
  return { items: [key, ...others].map((one) => ({ key: one, path: `of/${one}/file` })) };
}

function isVolume({ way }: TemplateUse): boolean {
  return way !== 'env' && way !== 'envFrom';
}

function nameVolume({ kind, name, key = 'all' }: TemplateUse): string {
  return `${kind}-${name}-${key}`.toLowerCase();
}
