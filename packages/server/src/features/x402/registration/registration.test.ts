import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Registration } from '../../agents/index.ts';
import { fingerprintOfRegistration } from './registration.ts';

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

test('the fingerprint of a registration changes with every field of the agent', () => {
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

test('the fingerprint of a registration does not depend on who asks, from where, or the id', () => {
  const same = [
    print({ id: 'ext_2_b' }),
    print({ clientAddress: '::1' }),
    named({ ownerWallet: 'wallet', ownerUserId: 'user', twitterUsername: 'x' }),
  ];
  for (const one of same) assert.equal(one, print());
});
