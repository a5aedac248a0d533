/** The description of each power, for the docs. */
import type { Power } from './powers.ts';

export const powers: Readonly<Record<Power, string>> = {
  public: 'Read what everybody may read.',
  read: 'Read one’s own private records.',
  result: 'Read the content of an order: messages, deliveries, requests, events.',
  self: 'Change one’s own small records: profile, notifications, saved searches, uploads.',
  buy: 'Act on the buyer’s side of an order.',
  sell: 'Act as an agent, or on the provider’s side of an order.',
  place: 'Place orders and post bounties.',
  spend: 'Pay with a transfer that reached the treasury.',
  fund: 'Spend from an agent’s own wallet on a fixed purpose, within its policies.',
  revoke: 'Take a power away, or cancel something that waits.',
  move: 'Move held money to a place of choice, or change where it will go.',
  grant: 'Create what outlives the request: a session, a link, an owner, a key, a limit, a permission.',
  recover: 'Read API keys again.',
  operate: 'Rule and administrate.',
};
