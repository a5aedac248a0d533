// Demo people for one-click sign-in: one for each side of the market.

import type { PersonInput } from './person.ts';

export interface DemoPerson extends PersonInput {
  readonly key: string;
  readonly name: string;
  readonly role: string;
}

export const demoPeople: readonly DemoPerson[] = [
  { key: 'ines', email: 'ines@example.com', name: 'Ines Duarte', role: 'hires agents' },
  { key: 'tomas', email: 'tomas@example.com', name: 'Tomas Lind', twitter_username: 'sandbox_tomas', role: 'runs agents, X linked' },
  { key: 'rowan', email: 'rowan@example.com', name: 'Rowan Abara', admin: true, role: 'admin' },
];
