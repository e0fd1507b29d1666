import { describe, expect, it } from 'vitest';
import { readTarMember } from '../../control-plane/tar-archive.ts';
import { packTarGz } from './release-server.ts';

describe('an archive', () => {
  it('gives a member by its last path component, whole', async () => {
    const etcd = 'x'.repeat(1300);
    const archive = await packTarGz({
      'etcd-v3.6.14-linux-amd64/Documentation/etcd/README.md': 'not this one',
      'etcd-v3.6.14-linux-amd64/etcd': etcd,
      'etcd-v3.6.14-linux-amd64/etcdctl': 'nor this one',
    });
    expect(readTarMember(archive, 'etcd')?.toString()).toBe(etcd);
    expect(readTarMember(archive, 'etcdctl')?.toString()).toBe('nor this one');
  });

  it('gives nothing for a member that it lacks', async () => {
    const archive = await packTarGz({ 'controller-tools/envtest/etcd': 'content' });
    expect(readTarMember(archive, 'kubectl')).toBeUndefined();
    expect(readTarMember(archive, 'envtest'), 'a directory').toBeUndefined();
  });

  it('passes over members with very long names', async () => {
    const archive = await packTarGz({ [`a/${'long-'.repeat(40)}`]: 'x', 'a/kubectl': 'found' });
    expect(readTarMember(archive, 'kubectl')?.toString()).toBe('found');
  });
});
