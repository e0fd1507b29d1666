import type { Json } from '../api-model/stored-object.ts';
import type { TemplateUse } from './actions.ts';
import { USES } from './watched.ts';

/** The annotation that tells the simulation what pods use, and the spec that tells it the operator. */
export function templateOf(
  labels: Readonly<Record<string, string>>,
  uses: readonly TemplateUse[],
): Json {
  const told = uses.map(({ kind, name, key }) => ({
    kind,
    name,
    ...(key !== undefined && { key }),
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
  const envFrom = uses.flatMap(({ way, kind, name: of }) =>
    way === 'envFrom' ? [{ [kind === 'Secret' ? 'secretRef' : 'configMapRef']: { name: of } }] : [],
  );
  const volumeMounts = uses.flatMap((use) =>
    isVolume(use) ? [{ name: nameVolume(use), mountPath: `/etc/${nameVolume(use)}` }] : [],
  );
  return {
    name,
    image: 'registry.example/app:1',
    ...(env.length > 0 && { env }),
    ...(envFrom.length > 0 && { envFrom }),
    ...(volumeMounts.length > 0 && { volumeMounts }),
  };
}

function envOf({ kind, name, key = '' }: TemplateUse): Json {
  const field = kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef';
  return { name: `${name}_${key}`.toUpperCase(), valueFrom: { [field]: { name, key } } };
}

function volumeOf(use: TemplateUse): readonly Json[] {
  if (!isVolume(use)) return [];
  const { kind, name: of, key, way } = use;
  const items = key === undefined ? {} : { items: [{ key, path: key }] };
  const name = nameVolume(use);
  if (way === 'projected') {
    const field = kind === 'Secret' ? 'secret' : 'configMap';
    return [{ name, projected: { sources: [{ [field]: { name: of, ...items } }] } }];
  }
  if (kind === 'Secret') return [{ name, secret: { secretName: of, ...items } }];
  return [{ name, configMap: { name: of, ...items } }];
}

function isVolume({ way }: TemplateUse): boolean {
  return way === 'volume' || way === 'projected';
}

function nameVolume({ kind, name, key = 'all' }: TemplateUse): string {
  return `${kind}-${name}-${key}`.toLowerCase();
}
