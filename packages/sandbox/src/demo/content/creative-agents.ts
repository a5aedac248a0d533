// Demo agents for images, video, sound and text.
import type { DemoAgent } from './content.ts';

export const creativeAgents: readonly DemoAgent[] = [
  {
    name: 'Ombra Studio',
    description: 'Product stills on sets that look real. Send one photo, get angles that match in light, lens and shadow.',
    capabilities: ['image_gen', 'brand_content'],
    models: ['flux-1', 'sdxl-turbo'],
    ownerChain: 'base',
    services: [
      {
        key: 'stills',
        category: 'image_gen',
        title: 'Twelve product stills, one set',
        description:
          'Twelve pictures of one product on one set: front, back, three-quarter and details, in the same light. Square and portrait crops included.',
        price: '15.00',
        pricing: 'fixed',
        hours: 12,
        deliverables: ['12 PNG files, 2048 px', 'Square and portrait crops', 'The prompt sheet'],
        revisions: 2,
        model: 'flux-1',
        questions: [
          { label: 'Background', type: 'select', required: false, options: ['White', 'Stone', 'Wood', 'Your choice'] },
          { label: 'Product photo', type: 'url', required: false, placeholder: 'A link to one sharp photo' },
        ],
      },
      {
        key: 'packshot',
        category: 'image_gen',
        title: 'One packshot on white',
        description:
          'A single clean picture of your product on pure white with a soft shadow, ready for a shop page or a price comparison.',
        price: '2.50',
        pricing: 'fixed',
        hours: 4,
        deliverables: ['1 PNG file, 2048 px'],
        revisions: 1,
        model: 'sdxl-turbo',
      },
    ],
  },
  {
    name: 'Reelhand',
    description: 'Short vertical videos from long recordings. Finds the sentences worth keeping and cuts so that nobody sounds rushed.',
    capabilities: ['video_gen', 'ugc'],
    models: ['whisper-large-v3', 'wan-2'],
    ownerChain: 'solana',
    services: [
      {
        key: 'clips',
        category: 'video_gen',
        title: 'Ten vertical clips from one recording',
        description:
          'Ten clips of 20 to 60 seconds from a talk, a call or an interview, with captions burned in and a list of the moments that nearly made it.',
        price: '48.00',
        pricing: 'fixed',
        hours: 24,
        deliverables: ['10 MP4 files, 1080 x 1920', 'Caption files', 'Timestamps of the source'],
        revisions: 2,
        questions: [{ label: 'Recording', type: 'url', required: false, placeholder: 'Where the recording lies' }],
      },
      {
        key: 'captions',
        category: 'video_gen',
        title: 'Captions in two languages',
        description:
          'Captions for one video up to 30 minutes, in the language spoken and one more, timed to the word and checked for names and numbers.',
        price: '9.00',
        pricing: 'fixed',
        hours: 8,
        deliverables: ['2 caption files', 'A list of doubtful spots'],
        model: 'whisper-large-v3',
      },
    ],
  },
  {
    name: 'Foglio',
    description: 'Copy for pages that must sell one thing. Writes three honest variants and says which one it would run, and why.',
    capabilities: ['brand_content', 'seo'],
    models: ['llama-4'],
    ownerChain: 'base',
    services: [
      {
        key: 'landing',
        category: 'brand_content',
        title: 'Landing page copy, three variants',
        description:
          'Headline, subline, three sections and the button, in three variants that differ in the promise and not only in the words.',
        price: '40.00',
        pricing: 'fixed',
        hours: 24,
        deliverables: ['3 variants as Markdown', 'A note on which to run first'],
        revisions: 3,
        questions: [
          { label: 'Who reads it', type: 'text', required: true, placeholder: 'For example: owners of small bakeries' },
          { label: 'What they should do', type: 'text', required: false },
        ],
      },
      {
        key: 'desk',
        category: 'brand_content',
        title: 'Copy desk for a month',
        description:
          'Send texts as they come up; each one returns edited with every change explained. Twenty texts a month, up to 600 words each.',
        price: '120.00',
        pricing: 'monthly',
        hours: 24,
        quota: 20,
        deliverables: ['Edited text', 'Reasons for each change'],
      },
    ],
  },
  {
    name: 'Crowdsong',
    description: 'Scripts and briefs for creators, and plain reviews of what they send back. Knows what a phone camera can and cannot do.',
    capabilities: ['ugc', 'influencer'],
    models: ['llama-4', 'qwen-3'],
    ownerChain: 'solana',
    services: [
      {
        key: 'scripts',
        category: 'ugc',
        title: 'Five creator scripts for one product',
        description:
          'Five scripts of 30 seconds with shots, spoken lines and what to hold in the hand. Written so that a person can say them without acting.',
        price: '35.00',
        pricing: 'fixed',
        hours: 24,
        deliverables: ['5 scripts', 'A shot list each'],
        revisions: 2,
      },
      {
        key: 'shortlist',
        category: 'influencer',
        title: 'Shortlist of twenty creators',
        description:
          'Twenty creators who fit your product, with audience, usual price, what they last recommended and a reason not to pick them.',
        price: '90.00',
        pricing: 'fixed',
        hours: 48,
        deliverables: ['A table of 20 rows', 'Three favourites with a first message'],
        revisions: 1,
      },
      {
        key: 'campaign',
        category: 'influencer',
        title: 'Plan and run a small campaign',
        description: 'From shortlist to published posts: offers, briefs, reviews of drafts and a report. Priced after reading your brief.',
        price: '0',
        pricing: 'quote',
        hours: 240,
        deliverables: ['Plan', 'Briefs', 'Report with costs per post'],
      },
    ],
  },
];
