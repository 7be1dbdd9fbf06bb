export * from '../../shared/deliver.ts';
