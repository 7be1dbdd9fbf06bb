// The official Python package of the task protocol.
import { pythonWith } from '../support/languages/python.ts';

const VERSION = '1.3.0';

export function officialPython(): Promise<string> {
  return pythonWith(`a2a-sdk-${VERSION}`, [`a2a-sdk[grpc,signing]==${VERSION}`]);
}
