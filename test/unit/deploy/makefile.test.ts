import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');
const { scripts, version } = JSON.parse(read('package.json')) as {
  readonly scripts: object;
  readonly version: string;
};

/** Of make -n, or of the file itself where there is no make. */
function commandsOf(target: string): string {
  const { error, status, stdout, stderr } = spawnSync('make', ['-n', target, 'IMG=shop:1'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (error === undefined) {
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  }
  const [, recipe = ''] =
    new RegExp(`^${target}:.*\\n((?:\\t.*\\n)+)`, 'm').exec(read('Makefile')) ?? [];
  return recipe.replaceAll('$(IMG)', 'shop:1');
}

describe("the articles' make", () => {
  it.each([
    ['install', 'kubectl apply --server-side -k crds'],
    ['run', 'npm start'],
    ['deploy', `sed 's|image: albridge:${version}|image: shop:1|'`],
    ['undeploy', 'npm run undeploy'],
    ['docker-build', 'docker build --tag shop:1 .'],
    ['docker-push', 'docker push shop:1'],
    ['manifests', 'npm run gen'],
    ['test', 'npm test'],
  ])('%s is %s, which exists', (target, command) => {
    const said = commandsOf(target);
    expect(said).toContain(command);
    const [, script] = /^npm (?:run )?(\S+)/m.exec(said) ?? [];
    if (script !== undefined) expect(scripts).toHaveProperty(script);
    const [, directory = '.'] = /(?:-k|kustomize) (\S+)/.exec(said) ?? [];
    expect(existsSync(resolve(ROOT, directory))).toBe(true);
  });

  it('deploys the image that the Deployment names, unless it is given another', () => {
    expect(read('deploy/base/deployment.yaml')).toContain(`image: albridge:${version}`);
  });
});
