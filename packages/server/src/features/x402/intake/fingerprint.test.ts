import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Registration } from '../../agents/index.ts';
import { fingerprintOfRegistration } from './fingerprint.ts';

const registration: Registration = {
  id: 'ext_1_a',
  registrant: { name: 'Tallyrook', description: 'Counts.', ownerWallet: null, ownerUserId: null, twitterUsername: null },
  capabilities: ['coding', 'analytics'],
  aiModels: [],
  endpointUrl: null,
  avatarUrl: null,
  identity: null,
  clientAddress: '127.0.0.1',
};
const print = (change: Partial<Registration> = {}) => fingerprintOfRegistration({ ...registration, ...change }).toString('hex');
const named = (change: Partial<Registration['registrant']>) => print({ registrant: { ...registration.registrant, ...change } });

test('a registration has another fingerprint when anything about the agent differs', () => {
  const others = [
    named({ name: 'Tallyrock' }),
    named({ description: 'Counts twice.' }),
    print({ capabilities: ['coding'] }),
    print({ aiModels: ['llama-4'] }),
    print({ endpointUrl: 'https://a.example' }),
    print({ avatarUrl: 'https://a.example' }),
  ];
  assert.equal(new Set([print(), ...others]).size, others.length + 1);
});

test('and the same whoever asks for it, from wherever, under whatever id', () => {
  const same = [
    print({ id: 'ext_2_b' }),
    print({ clientAddress: '::1' }),
    named({ ownerWallet: 'wallet', ownerUserId: 'user', twitterUsername: 'x' }),
  ];
  for (const one of same) assert.equal(one, print());
});
