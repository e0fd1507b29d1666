import { describe, expect, it } from 'vitest';
import { buildEnvironment, isolatedEnvironment } from '../../control-plane/environment.ts';

const caller = {
  PATH: '/bin',
  HOME: '/home/somebody',
  LANG: 'C.UTF-8',
  KUBECONFIG: '/home/somebody/production',
  AWS_PROFILE: 'production',
  AWS_ACCESS_KEY_ID: 'AKIA',
  AWS_CA_BUNDLE: '/etc/ca.pem',
  HTTPS_PROXY: 'http://proxy:3128',
  GOPROXY: 'https://goproxy.example',
  GOFLAGS: '-mod=vendor',
  GOOS: 'plan9',
  UNSET: undefined,
};

describe('the environment of the processes', () => {
  it('holds nothing of the caller but what is known to be harmless', () => {
    expect(isolatedEnvironment(caller, '/plane')).toEqual({
      HOME: '/plane',
      GOGC: '300',
      PATH: '/bin',
      LANG: 'C.UTF-8',
    });
  });
});

describe('the environment of a build', () => {
  it('keeps proxies and Go settings, and drops credentials and what changes the result', () => {
    expect(buildEnvironment(caller)).toEqual({
      PATH: '/bin',
      HOME: '/home/somebody',
      LANG: 'C.UTF-8',
      HTTPS_PROXY: 'http://proxy:3128',
      GOPROXY: 'https://goproxy.example',
      CGO_ENABLED: '0',
      GOWORK: 'off',
    });
  });
});
