import { Refusal, runProgram } from './run.ts';

/** Which state of the clone may become a release. */

/** Folders that are packaged as they are. */
const PACKAGED = ['deploy/chart', 'crds', 'docs/schemas'];

/** Whatever the caller has set git to show. */
const STATUS = ['status', '--porcelain', '--untracked-files=all'];

/** A file that is packaged and that git does not track. */
export async function findUntracked(root: string): Promise<string | undefined> {
  const status = [...STATUS, '--ignored', '--', ...PACKAGED];
  const lines = (await runProgram('git', status, { cwd: root })).split('\n');
  const [found] = lines.flatMap((line) => /^(?:\?\?|!!) (.*)$/.exec(line)?.[1] ?? []);
  return found;
}

/** Throws a Refusal unless the clone is the commit with the tag of the version. `declared` is that of package.json. */
export async function checkSource(root: string, version: string, declared: string): Promise<void> {
  if (declared !== version) {
    throw new Refusal(
      `package.json has version ${declared}, not ${version}; set it there, run npm run gen, and commit`,
    );
  }
  const changed = await runProgram('git', STATUS, { cwd: root });
  if (changed !== '')
    throw new Refusal('the clone has changes that are not committed; commit them');
  const tags = (await runProgram('git', ['tag', '--points-at', 'HEAD'], { cwd: root })).split('\n');
  if (!tags.includes(`v${version}`)) {
    throw new Refusal(`the commit does not have the tag v${version}; run git tag v${version}`);
  }
}
