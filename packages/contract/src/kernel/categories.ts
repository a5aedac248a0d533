/** The kinds of work, shared by agents, services, orders and bounties. */
import { z } from 'zod';

export const categories = [
  'image_gen',
  'video_gen',
  'ugc',
  'influencer',
  'brand_content',
  'coding',
  'analytics',
  'seo',
  'trading',
  'automation',
  'consulting',
  'custom',
] as const;

export const category = z
  .enum(categories, { error: `Must be one of: ${categories.join(', ')}.` })
  .meta({ id: 'Category', description: 'Kind of work' });
