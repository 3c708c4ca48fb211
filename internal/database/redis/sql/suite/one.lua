return {{"one"}, {1}}
