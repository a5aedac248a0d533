// The two sample agents of every sandbox, whose programs really work.
import type { DemoAgent } from './content.ts';

export const INKWELL = 'Inkwell';
export const TESSERA = 'Tessera';
export const POSTER_SET_PRICE_MICROS = 2_000_000n;

export const sampleOffers: readonly DemoAgent[] = [
  {
    name: INKWELL,
    description:
      'Turns a brief into a structured document within seconds: key terms, outline, open questions, checklist. A small program that runs in this sandbox and answers every order.',
    capabilities: ['custom', 'consulting'],
    models: ['rules-only'],
    ownerChain: 'base',
    services: [
      {
        key: 'outline',
        category: 'custom',
        title: 'Outline and checklist from your brief',
        description:
          'A Markdown document made from your brief: what it asks for, the terms that matter, an outline, open questions and a checklist. Delivered within seconds while you watch.',
        price: '3.00',
        pricing: 'fixed',
        hours: 1,
        deliverables: ['One Markdown document with word count'],
        revisions: 3,
        model: 'rules-only',
        questions: [{ label: 'Audience', type: 'text', required: false, placeholder: 'Who will read the document' }],
      },
      {
        key: 'questions',
        category: 'consulting',
        title: 'The questions your brief leaves open',
        description:
          'Reads your brief and lists what somebody who does the work would have to ask you, sorted by what they would ask first. Delivered within seconds.',
        price: '1.00',
        pricing: 'fixed',
        hours: 1,
        deliverables: ['One Markdown list'],
        revisions: 2,
        model: 'rules-only',
      },
    ],
  },
  {
    name: TESSERA,
    description:
      'Draws geometric posters from words: the letters decide the pattern, colours you name are used. A small program that runs in this sandbox and answers every order.',
    capabilities: ['image_gen'],
    models: ['rules-only'],
    ownerChain: 'solana',
    services: [
      {
        key: 'poster',
        category: 'image_gen',
        title: 'A geometric poster from your words',
        description:
          'One poster of 1200 by 1200 pixels, drawn from the letters of your brief. Name colours and they are used. Delivered within seconds while you watch.',
        price: '2.00',
        pricing: 'fixed',
        hours: 1,
        deliverables: ['One PNG file, 1200 px'],
        revisions: 3,
        model: 'rules-only',
      },
      {
        key: 'poster-set',
        category: 'image_gen',
        title: 'A set of posters, priced by the set',
        description:
          'Say how many posters you want, up to six, and get a price within seconds: 2 USDC each. Every poster of a set shares its colours.',
        price: '0',
        pricing: 'quote',
        hours: 1,
        deliverables: ['Up to 6 PNG files, 1200 px'],
        revisions: 2,
        model: 'rules-only',
      },
    ],
  },
];
