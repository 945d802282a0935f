package mcpserver

const fionread = 0x4004667f // FIONREAD, which x/sys does not name here
